// The part of rule R03 about which samples are marked as disturbed.
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds a finding for every ok series whose marks name a sample that is not there, or not in ascending order.
void check_marks(const harness::Submission& submission, std::vector<Finding>& findings);

}  // namespace analysis
