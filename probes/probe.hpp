// A probe: one question about the machine, answered as a series of samples. It never sees an expected value.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"
#include "probes/variant.hpp"
#include "probes/working_sets.hpp"

namespace probes {

/// What a probe is told.
struct ProbeContext {
  const harness::Topology& topology;
  const harness::CpuFeatures& features;
  harness::Clock clock;
  std::vector<int64_t> sizes_bytes;  ///< empty: the probe's own sizes
  int sizes_per_octave = 2;
  int samples = 5;
  uint64_t seed = 1;  ///< order of sizes, chase permutation
  /// Called with the fraction done in [0, 1]; may be empty.
  std::function<void(double)> progress;
  Variant variant = {};  ///< which series; a probe ignores the fields that it does not know
};

struct Probe {
  const char* id;
  const char* summary;  ///< one line for --list
  bool takes_sizes;     ///< whether --size means anything to it
  /// Runs on the calling thread, which the caller has pinned. What cannot be measured here comes back as a
  /// series with status unavailable and the reason.
  harness::Series (*run)(const ProbeContext& context);
  const char* choices = "";  ///< the fields of Variant that it knows, as names between spaces
  /// Lists every series it offers, the first being what a run needs; nullptr: only that one.
  std::vector<Variant> (*variants)(const ProbeContext& context) = nullptr;
};

/// All probes of this binary, in the order in which `run` takes them.
std::span<const Probe> probes();
/// Throws Error(usage) that names the nearest probe.
const Probe& find_probe(const std::string& id);

}  // namespace probes
