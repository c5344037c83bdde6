#include "analysis/claim_merge.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/claim_ledger.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

/// The hash by which a row is known in every ledger that repeats it.
const std::string& first_hash(const LedgerRow& row) {
  return row.original_hash.empty() ? row.hash : row.original_hash;
}

/// Why a row of the other ledger is not taken, "" when it is.
std::string why_not(const LedgerRow& row, const std::set<std::string>& sealed) {
  if (seals(row)) return "is sealed there alone: a claim has one ledger";
  if (row.kind == "verdict") return "is a verdict: judge it here, over all documents";
  return sealed.count(row.seal) > 0 ? "" : "is of a seal that this ledger does not hold";
}

LedgerRow repeated(const LedgerRow& row, const std::string& now_utc) {
  LedgerRow copy = row;
  copy.original_hash = first_hash(row);
  copy.original_utc = row.original_utc.empty() ? row.utc : row.original_utc;
  copy.utc = now_utc;
  return copy;
}

}  // namespace

MergedLedger merge_ledgers(std::string_view ours, std::string_view theirs, const std::string& now_utc) {
  const std::vector<LedgerRow> here = read_ledger(ours), there = read_ledger(theirs);
  check_times(there, now_utc);
  if (here.empty() || there.empty() || here.front().hash != there.front().hash)
    throw harness::Error(
        harness::ExitCode::invalid_input,
        "the two ledgers have no row in common: it is not one of a clone of this repository");
  std::set<std::string> known, sealed;
  for (const LedgerRow& row : here) {
    known.insert(row.hash);
    known.insert(first_hash(row));
    if (seals(row)) sealed.insert(row.seal);
  }
  MergedLedger merged{std::string(ours), 0, {}};
  for (const LedgerRow& row : there) {
    if (known.count(first_hash(row)) > 0) continue;
    std::string why = why_not(row, sealed);
    if (why.empty()) {
      try {
        merged.text = append_row(merged.text, repeated(row, now_utc));
        ++merged.rows;
        continue;
      } catch (const harness::Error& error) {
        if (error.code() != harness::ExitCode::usage) throw;
        why = error.what();
      }
    }
    merged.left_out.push_back(fmt::format("row {} ({} of {}) {}", row.row, row.kind, row.claim, why));
  }
  return merged;
}

}  // namespace analysis
