// A verdict as JSON: what `claim verdict --json` prints and what a ledger row keeps.
#pragma once
#include <string>

#include "analysis/verdict.hpp"

namespace analysis {

/// Returns a verdict as canonical JSON: word, doubts, and of every machine the numbers behind it.
std::string verdict_json(const Claim& claim, const std::string& seal, const ClaimVerdict& verdict);

}  // namespace analysis
