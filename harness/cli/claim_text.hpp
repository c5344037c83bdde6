// What `tokroof claim` shows: one claim, a verdict, the list and the board.
#pragma once
#include <string>
#include <vector>

#include "analysis/claim_check.hpp"
#include "analysis/verdict.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

/// What a claim has come to by the ledger: "draft", "sealed", "overdue" (due, and without a verdict), or the
/// word of its last verdict.
struct ClaimState {
  std::string word;
  std::string verdict;  ///< canonical JSON of the last verdict under its present seal, or ""
};
ClaimState state_of(const ClaimsFolder& folder, const FiledClaim& claim, const std::string& now_utc);

std::string claim_text(const analysis::Claim& claim, const FiledClaim& filed,
                       const analysis::ClaimCheck& check);
std::string verdict_text(const Terminal& terminal, const analysis::Claim& claim,
                         const analysis::ClaimVerdict& verdict, const std::string& seen);

/// What of a claim's data was seen before it was sealed, as its seal says; "" for nothing.
std::string seen_before(const ClaimsFolder& folder, const FiledClaim& claim);

std::string list_text(const Terminal& terminal, const ClaimsFolder& folder, const std::string& now_utc);
std::string list_json(const ClaimsFolder& folder, const std::string& now_utc);
/// The board of the README: per claim its word, numbers, launches, controls and the command that repeats it.
std::string list_markdown(const ClaimsFolder& folder, const std::string& now_utc);
/// The rows of the ledger, as one JSON array.
std::string log_json(const ClaimsFolder& folder);
std::string log_text(const Terminal& terminal, const ClaimsFolder& folder);

}  // namespace cli
