// Rules R11 and P10: what the probes of caches concluded must follow from their own samples.
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds R11 for a `residency` series whose stated calibration is not what its loads give, and for an
/// `eviction` series whose stated cold size is not what its laps and looks give; P10 for a calibration stated
/// elsewhere (of looks whose loads are not in the document) whose threshold calls more than a quarter of the
/// loads in `residency` wrong.
void check_looks(const harness::Submission& submission, std::vector<Finding>& findings);

}  // namespace analysis
