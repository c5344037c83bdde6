// What it costs to go on at another place in memory. Pure.
#pragma once
#include "harness/submission.hpp"

namespace analysis {

/// Returns the seconds that it costs to begin a chunk at a random place of memory, as derived.jumps has it
/// for the largest pool of chunked_stream; at least 0. 0 when the probe has nothing.
double jump_seconds(const harness::Submission& probed);

}  // namespace analysis
