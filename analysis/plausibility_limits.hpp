// Rules P01 and P02: no figure may exceed what the document's own read curve and clock allow.
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds P01 for every recomputed decode figure above the read curve and P02 for every decode figure or read
/// roof above what load ports can do; nothing where curve or clock are missing (unchecked_rules says so).
void check_limits(const harness::Submission& submission, const harness::Derived& recomputed,
                  std::vector<Finding>& findings);

}  // namespace analysis
