// Which sizes the probe `eviction` streams. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace probes {

/// Returns the amounts of memory to stream, ascending: powers of two from 16 MiB to 256 MiB, then two per
/// doubling, up to max(4 × LLC, 512 MiB) and the budget, and twice that if no more than a plan may stream.
/// `llc_bytes` 0 means no known last-level cache. Empty when the budget allows none.
std::vector<int64_t> streamed_sizes(int64_t llc_bytes, int64_t budget_bytes);

}  // namespace probes
