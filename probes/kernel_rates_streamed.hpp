// What calls of a kernel take when their data lie apart from each other, flushed, and after a stream.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "models/token_work.hpp"
#include "probes/kernel_rates_body.hpp"
#include "probes/probe.hpp"

namespace probes {

/// Adds levels of cold calls of a use to its series, each of context.samples samples:
///   streamed_run          of a matrix: whole calls in order over 2 MiB, after a stream
///   apart_short, apart, apart_far
///                         of a matrix that begins runs of weights of one of `models` (models::weight_runs):
///                         calls of each extent, flushed, on pages of their own and in random order, each
///                         timed by itself, less what reading the clock takes
///   streamed_short, streamed, streamed_far
///                         the same after a stream; also of attention
/// A stream (stream_eviction.hpp) pushes out the data, the tables that translate its addresses and whatever
/// else the caches held; a call on other data then brings back the kernel's code. Returns the names added,
/// each with a space before it: none with a budget and where `memory` is too small, of those after a
/// stream none where whole_stream() is unavailable. What
/// gives something else than it must makes the series `failed`.
std::string take_cold_levels(const ProbeContext& context, const models::KernelUse& use,
                             const std::vector<std::string>& models, const KernelBody& body,
                             const harness::Buffer& memory, harness::Series& series);

/// Returns how long a pair of clock reads takes with nothing between.
int64_t clock_pair_ns(const harness::Clock& clock);

}  // namespace probes
