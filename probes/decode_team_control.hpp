// Are the PUs of a team cores of its own, and what can they read together? Controls for its speed-up.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/topology.hpp"

namespace probes {

/// What the PUs of a team do at the same time.
struct TeamControl {
  /// The speed of a chain of dependent multiplications on the slowest PU while all run it, over the speed on
  /// the first PU while no other does: median of alternating rounds. 1 where each PU is a core of its own.
  double together_clock_ratio = 1;
  /// The core clock (harness/cycle_chain.hpp) of the PU with the slowest one in the middle of that chain,
  /// over that of the first PU alone: median. A turbo clock falls with the number of busy cores; a core that
  /// is shared keeps its clock and loses time. 0 where the clock is not known.
  double together_hz_ratio = 0;
  /// What the widest read streams read in all, each PU a part of its own of `read_bytes` on huge pages.
  double read_bytes_per_s = 0;
};

/// Takes some 100 ms; the caller is pinned to pus[0]. Throws Error(unavailable) when a PU is not to be had
/// and Error(wrong_result) for a wrong checksum.
TeamControl measure_team(const harness::Topology& topology, const std::vector<int>& pus,
                         const harness::CpuFeatures& features, const harness::Clock& clock,
                         int64_t read_bytes);

}  // namespace probes
