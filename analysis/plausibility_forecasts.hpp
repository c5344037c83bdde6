// Rules R08 and R09: forecasts follow from the probes, and were made before any decode.
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/store_forecasts.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds a finding for every forecast that is not what the probes give or was made too late. `stored` may be
/// null: then what a model error says of other runs is only held against itself.
void check_forecasts(const harness::Submission& submission, const harness::ForecastRecord* stored,
                     std::vector<Finding>& findings);

}  // namespace analysis
