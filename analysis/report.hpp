// What a run found, in words. Everything said stands in the submission's derived part.
#pragma once
#include <string>

#include "harness/submission.hpp"

namespace analysis {

/// Returns one sentence about the first model with a warm speed: its tokens/s, what each other arm did to it
/// with the interval, how it compares with other ISAs, how far the curve forecast was off; or that nothing
/// was decoded. A second sentence says so when the A/A control failed (nothing is proven) or there were too
/// few launches to have one.
std::string one_sentence(const harness::Submission& submission);

}  // namespace analysis
