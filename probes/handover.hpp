// How far apart are two PUs? What one writes, the other sees after so long.
#pragma once
#include <cstdint>

#include "harness/clock.hpp"
#include "harness/topology.hpp"

namespace probes {

/// Returns how many ns a cache line takes from one PU to the other: half of a round trip between the calling
/// thread and one bound to `pu`, the median of batches, 1 to 10 ms in all. Under one last-level cache that is
/// a few of its latencies; beyond it, more than memory's. Throws Error(unavailable) when it cannot be bound.
int64_t handover_ns(const harness::Topology& topology, int pu, const harness::Clock& clock);

}  // namespace probes
