// Could a claim's plans run, and does it need them? A part of check_claim().
#pragma once
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "harness/error.hpp"

namespace analysis {

using Refusals = std::vector<std::string>;

/// Adds what `step` throws.
template <class F>
void gather(Refusals& refusals, const std::string& where, const F& step) {
  try {
    step();
  } catch (const harness::Error& error) {
    refusals.push_back(where + ": " + error.what());
  }
}

/// Adds what no run could decode: unknown models, kernels, routings, positions beyond the context; and plans
/// without a control, or with names or arms that are there twice.
void check_plans(const Claim& claim, Refusals& refusals);

/// Adds digests that this version does not compute, that are missing, or that belong to nothing the claim
/// takes; of a census the one of the CPU catalogue.
void check_goldens(const Claim& claim, Refusals& refusals);

/// Adds plans that no part is about: they would be taken and never judged. Nothing when a part cannot be
/// read.
void check_use(const Claim& claim, Refusals& refusals);

/// Refuses what a census ignores: a population, exclusions, launches.
void check_census(const Claim& claim, Refusals& refusals);

/// Refuses parts that cannot be supported together: about one quantity, however written, or its inverse, with
/// regions that have no value in common.
void check_contradictions(const Claim& claim, Refusals& refusals);

}  // namespace analysis
