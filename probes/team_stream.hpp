// A stream on several cores at once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace probes {

/// Runs the operation of context.variant on a thread bound to each PU, each on its share of `bytes` in memory
/// that it touched first itself. A sample lasts from the first start to the last end; the largest distance
/// between two starts is the param start_skew_ns. Params else as stream_sweep(). Unavailable when the stream,
/// the pages or the memory does not exist here, or a thread cannot be bound.
harness::Series team_stream(const std::string& probe, const ProbeContext& context, int64_t bytes,
                            const std::vector<int>& pus);

}  // namespace probes
