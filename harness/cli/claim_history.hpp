// What the ledger tells of a claim beside its present seal: what was seen before, how it was amended, what
// came out.
#pragma once
#include <string>
#include <vector>

#include "analysis/verdict.hpp"
#include "harness/cli/claims_folder.hpp"

namespace cli {

/// What a claim has come to by the ledger. word: "draft"; "sealed"; "begun" (a run has not ended), "measured"
/// (a run finished and no verdict is recorded); "overdue" (due, and without a recorded verdict); or the word
/// of its last verdict under the present seal.
struct ClaimState {
  std::string word;
  std::string verdict;  ///< canonical JSON of the last verdict under its present seal, or ""
  int begun = 0, finished = 0, abandoned = 0;  ///< runs under the present seal
};
ClaimState state_of(const ClaimsFolder& folder, const FiledClaim& claim, const std::string& now_utc);

/// A claim's seal that was superseded, when and why.
struct Amendment {
  std::string utc, superseded, reason;
};

struct ClaimHistory {
  std::string seen;  ///< what of such data was seen before the first seal, as it says; "" for nothing
  std::vector<Amendment> amendments;
  /// Of each superseded seal its last recorded verdict, or that runs finished under it; of the present seal
  /// what was recorded otherwise before.
  std::vector<analysis::EarlierVerdict> earlier;
  /// Whether its margins could be chosen by data: what tests them is a replication.
  [[nodiscard]] bool exploratory() const { return !seen.empty() || !amendments.empty(); }
};
ClaimHistory history_of(const ClaimsFolder& folder, const FiledClaim& claim);

/// "falsified under seal 8f2a1c00", "measured under seal …, and no verdict recorded"; joined by "; ".
std::string earlier_text(const ClaimHistory& history);
/// All of it, line by line; "" for a claim without any.
std::string history_text(const ClaimHistory& history);

/// Why a claim's file is none, "" when it is one.
std::string fault_of(const FiledClaim& filed);

}  // namespace cli
