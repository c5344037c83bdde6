// Rule R21: what a failure document says in words is scrubbed (docs/submitting.md, "What is taken out").
#pragma once
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Adds a finding for every text of a failure that scrubbing would still change.
void check_failure(const harness::Submission& submission, std::vector<Finding>& findings);

}  // namespace analysis
