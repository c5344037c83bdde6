// How fast experts come out of a pool that caches may hold in part: neutral matrices, drawn at random.
#pragma once
#include "models/kernels/kernels.hpp"
#include "models/token_work.hpp"
#include "probes/probe.hpp"

namespace probes {

/// Measures how long the products of the experts of one token take, their data lying apart in memory as a
/// decoder lays it: `top_k` different ones of each block's `count`, and before each block's its part of
/// `between_bytes` of other memory read by the widest stream. Only the products are timed.
///   near       the same experts token after token
///   pool       others drawn uniformly for each token
///   pool_slow  the same, but spinning after each block for as long as it took: more time for others who use
///              the cache
///   dram       all flushed before; left out where user code cannot flush
///   streamed   after a stream (stream_eviction.hpp), which also pushes out addresses; left out with a budget
///              and without the memory
/// How long a token of pool and of pool_slow lasts in all are the params pool_token_ns and
/// pool_slow_token_ns (medians of samples). The series counts the codes of experts as bytes. Unavailable
/// without the memory.
harness::Series measure_experts(const ProbeContext& context, const models::Kernels& kernels,
                                const models::ExpertWork& work);

}  // namespace probes
