// Takes the runs that another clone's ledger tells of into this one: machines append to one chain, and two
// clones' rows do not follow each other. Pure: text in, text out.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

struct MergedLedger {
  std::string text;                   ///< this ledger with the rows appended
  int rows = 0;                       ///< how many were
  std::vector<std::string> left_out;  ///< one clause each: what of the other was not taken, and why
};

/// Appends of another clone's ledger the rows "run", "finished" and "abandoned" that this one lacks, in their
/// order, each as a row of `now_utc` that names the hash and time of the one it repeats. Seals, amendments
/// and verdicts are not taken: a claim is sealed in one ledger, and a verdict is made anew over all
/// documents. Taking the same ledger again appends nothing. Throws Error(tampered) when one of both is not
/// whole, Error(invalid_input) when they have no row in common, Error(unavailable) for a clock that lags.
MergedLedger merge_ledgers(std::string_view ours, std::string_view theirs, const std::string& now_utc);

}  // namespace analysis
