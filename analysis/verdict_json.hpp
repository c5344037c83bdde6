// A verdict as JSON: what `claim verdict --json` prints and what a ledger row keeps.
#pragma once
#include <string>

#include "analysis/verdict.hpp"

namespace analysis {

/// Returns a verdict as canonical JSON: word, doubts, and of every machine the numbers behind it.
std::string verdict_json(const Claim& claim, const std::string& seal, const ClaimVerdict& verdict);

/// Returns why a text is no verdict of a claim under a seal, "" when it is one: all that lists and boards
/// read of it must be there and of its kind.
std::string fault_of_verdict(const std::string& text, const std::string& claim, const std::string& seal);

}  // namespace analysis
