// Rules R05, P03, P04 and P09: samples against the time they had, against each other and against other runs.
#pragma once
#include <string>
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds R05 for a launch whose samples last longer than the launch, and P09 for a decode series of at least 8
/// samples that all last the same although the clock resolves a hundredth of one.
void check_samples(const harness::Submission& submission, std::vector<Finding>& findings);

/// Adds P03 for every verified evict_flush that was faster than 1.03 × warm (lower bound of the recomputed
/// interval), and P04 for a level that reads twice as fast, or answers twice as soon, as a smaller one.
void check_order(const harness::Derived& recomputed, std::vector<Finding>& findings);

/// Returns where a submission's decode samples are those of another run times one factor, or "": the pointer
/// of the first series of at least 8 samples that agree to a nanosecond. A document is no copy of itself.
std::string copied_series(const harness::Submission& submission, const harness::Submission& other);

}  // namespace analysis
