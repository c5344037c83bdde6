// What it costs to go on at another place in memory. Pure.
#pragma once
#include "harness/submission.hpp"

namespace analysis {

/// Returns by how many seconds a chunk of `bytes` at a random place of memory takes longer than the same
/// bytes of a stream: bytes ÷ chunked_stream's rate at that chunk from its largest pool, less bytes ÷
/// dram_stream's rate. At least 0; 0 when either probe has nothing, and for 0 bytes.
double jump_seconds(const harness::Submission& probed, double bytes);

}  // namespace analysis
