// What a busy thread elsewhere does to a core that reads from its caches.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/error.hpp"
#include "harness/topology.hpp"

namespace probes {

/// Returns the working sets of the victim on PU `pu`, ascending: half of its L2, where there is a further
/// cache, and a quarter of its last-level cache, where that is more than the cache before holds. Unavailable,
/// with the reason, when there is neither.
harness::Reading<std::vector<int64_t>> victim_sizes(const harness::Topology& topology, int pu);

/// Returns the further sets of the victim beside a walk through memory: half of its last-level cache, all of
/// it, and four times it, as far as `budget_bytes` allow. Empty when no cache is reported.
std::vector<int64_t> further_sizes(const harness::Topology& topology, int pu, int64_t budget_bytes);

}  // namespace probes
