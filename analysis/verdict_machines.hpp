// What a claim comes to over all machines. Pure.
#pragma once
#include "analysis/verdict.hpp"

namespace analysis {

/// Sets the word over all machines and whether it is proven, and adjusts what falsifies for the number of
/// machines (Holm 1979). Leaves the word empty without machines.
void conclude(const Claim& claim, ClaimVerdict& verdict);

}  // namespace analysis
