// What each of several threads can draw from levels of memory that they share. Pure.
#pragma once
#include "analysis/kernel_speed.hpp"
#include "analysis/served_bytes.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Returns the part of each of so many threads in what they streamed together: from memory dram_stream, from
/// L3 load_bandwidth at its roof; no limits for one thread. Unavailable when a level that serves 0.1 % or
/// more was not streamed from by so many.
harness::Reading<RateLimits> team_limits(const harness::Submission& probed, const ServedBytes& served,
                                         int threads);

}  // namespace analysis
