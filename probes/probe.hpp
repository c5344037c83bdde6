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

struct SharedLoads;   // residency_meter.hpp
struct SharedStream;  // stream_eviction.hpp

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
  /// When to end, on `clock` (0: whenever): a sweep then takes coarse sizes first and leaves out those that
  /// would end later. `budget_ns` is what the user gave for all probes, for the record.
  int64_t end_ns = 0, budget_ns = 0;
  std::vector<std::string> models = {},
                           isas = {};     ///< what kernels are for; empty: all models, the chosen ISA
  SharedLoads* shared_loads = nullptr;    ///< of all probes of this process; may be none
  SharedStream* shared_stream = nullptr;  ///< null: nobody streams
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
  /// How long it takes at 4 sizes per octave and 5 samples on a 2-core VM with 32 MiB of L3: what budgets
  /// begin with, until they know the machine's pace.
  double seconds = 2;
  bool thins = false;  ///< whether it heeds end_ns; one that does not is taken in full or skipped
  /// Of a probe whose samples of several series must alternate: takes them all; `run` gives the first.
  std::vector<harness::Series> (*run_all)(const ProbeContext& context) = nullptr;
  bool needs_all = false;  ///< a run needs every series that it lists
};

/// All probes of this binary, in the order in which `run` takes them.
std::span<const Probe> probes();
/// Throws Error(usage) that names the nearest probe.
const Probe& find_probe(const std::string& id);

}  // namespace probes
