// The table of the probe `interference`.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Returns one row per place and antagonist with the slow-down of each working set, what could not run, and
/// whether the A/A controls agree; empty when the probe did not run.
std::string interference_text(const Terminal& terminal, const harness::Submission& submission);

}  // namespace cli
