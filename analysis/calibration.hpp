// What the timed lines of a series are judged by.
#pragma once
#include "harness/residency.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Returns the calibration that the single loads of a `residency` series give, recomputed. Unavailable, with
/// the reason, when they cannot tell cached lines from flushed ones or its places are not what they must be.
harness::Reading<harness::ResidencyCalibration> recomputed_calibration(const harness::Series& residency);

/// Returns what the looks of a series are judged by: where it names `residency` (param calibrated_by), what
/// that series of its launch gives, recomputed; else the numbers that it states. Unavailable without either.
harness::Reading<harness::ResidencyCalibration> calibration_of(const harness::Launch& launch,
                                                               const harness::Series& series);

/// Returns the launch of a submission that holds this series (by address), or nullptr.
const harness::Launch* launch_of(const harness::Submission& submission, const harness::Series& series);

}  // namespace analysis
