// Rules P05 and P06: can the caches that a machine reports be, and are they those that were measured?
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds P05 for a measured capacity whose whole interval lies outside half to twice the reported size (of a
/// cache that other cores share only above: neighbours take their part), on machines that are not virtual.
void check_capacities(const harness::Machine& machine, const harness::Derived& recomputed,
                      std::vector<Finding>& findings);

/// Adds P06 for a cache below 1 KiB or with lines that are no power of two from 16 to 1024 bytes (0: the
/// system does not say), for one that more PUs share than there are, and for a level of the measured core
/// that is smaller than the one before.
void check_cache_facts(const harness::Machine& machine, std::vector<Finding>& findings);

}  // namespace analysis
