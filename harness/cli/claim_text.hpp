// What `tokroof claim` shows of one claim, of a verdict and of the ledger.
#pragma once
#include <string>
#include <vector>

#include "analysis/claim_check.hpp"
#include "analysis/verdict.hpp"
#include "harness/cli/claim_history.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

std::string claim_text(const analysis::Claim& claim, const FiledClaim& filed, const ClaimHistory& history,
                       const analysis::ClaimCheck& check);
std::string verdict_text(const Terminal& terminal, const analysis::Claim& claim,
                         const analysis::ClaimVerdict& verdict, const ClaimHistory& history);

/// The rows of the ledger, as one JSON array.
std::string log_json(const ClaimsFolder& folder);
std::string log_text(const Terminal& terminal, const ClaimsFolder& folder);

}  // namespace cli
