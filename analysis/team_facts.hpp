// What is known of several cores that decode together, from what is known of one.
#pragma once
#include "analysis/machine_facts.hpp"

namespace analysis {

/// Returns the facts of `threads` cores of this kind as if they were one: levels of their own (l1, l2) hold
/// and hand out so many times as much and products take that part of the time, the steps over vectors stay
/// each core's own. Levels that they share (l3, dram) give at least what one core gets and at most that many
/// times as much: the geometric mean, with a spread that reaches both ends. What a barrier costs is left out.
CoreFacts facts_of_team(CoreFacts core, int threads);

}  // namespace analysis
