// Can a claim lose, and would its data decide? What is asked before it is sealed.
#pragma once
#include <string>
#include <vector>

#include "analysis/claim.hpp"

namespace analysis {

/// Least power that planned data must have, to support what is true and to falsify what is false.
inline constexpr double least_power = 0.9;

struct ClaimCheck {
  std::vector<std::string> refusals;  ///< empty: it may be sealed
  std::vector<std::string> sums;      ///< per part: what is reachable, and with which power
};

/// Checks what a schema cannot: names, plans, golden digests, predicates and quantities; that of every part
/// both `supported` and `falsified` are reachable in the declared support; that the planned launches have
/// power: all parts together at their true values to support, any one at its false value to falsify.
ClaimCheck check_claim(const Claim& claim);

}  // namespace analysis
