// Threads on cores of their own that do something at the same time.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/clock.hpp"
#include "harness/error.hpp"
#include "harness/sampler.hpp"
#include "harness/topology.hpp"

namespace probes {

/// What one round of a team took.
struct TeamRound {
  int64_t wall_ns = 0;               ///< from the first start to the last end
  int64_t start_skew_ns = 0;         ///< from the first start to the last
  harness::Disturbance disturbance;  ///< summed over the threads; clocks of the one that drifted most
};

/// Returns one allowed PU of each core, ascending.
std::vector<int> one_pu_per_core(const harness::Topology& topology);

/// Returns the last-level caches of some PUs together, each counted once. Where the system tells of none, 0.
int64_t llc_total_bytes(const harness::Topology& topology, const std::vector<int>& pus);

/// Runs `prepare(i)` and, when all are done with that, `timed(i)` on a thread bound to pus[i], all at once.
/// Throws the first Error of a thread: Error(unavailable) when one cannot be bound.
TeamRound run_together(const harness::Topology& topology, const std::vector<int>& pus,
                       const harness::Clock& clock, const std::function<void(size_t)>& prepare,
                       const std::function<void(size_t)>& timed);

}  // namespace probes
