// Facts of a machine whose probes are in a document.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "analysis/machine_facts.hpp"
#include "analysis/probe_series.hpp"
#include "harness/curve.hpp"

namespace analysis {

using harness::Curve;
using harness::Interval;
using harness::Reading;
using harness::Submission;
using harness::Unavailable;

namespace {

constexpr auto next_sample = harness::Spread::of_next_90;

Fact measured(const Interval& interval, const std::string& probe) {
  return {interval.median, std::sqrt(interval.high / interval.low), "measured: " + probe, true};
}

Reading<Fact> at_end(const Reading<Curve>& curve, const std::string& probe) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const auto& made = std::get<Curve>(curve);
  return measured({made.values.back(), made.low.back(), made.high.back()}, probe);
}

Reading<Fact> read_rate(const Submission& probed, const Reading<Curve>& curve, int level) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const int64_t size = roof_size_bytes(probed.machine, level);
  const auto point = harness::read_at(std::get<Curve>(curve), static_cast<double>(size));
  if (!point.clamped) return measured(point.value, "load_bandwidth");
  return Unavailable{fmt::format("load_bandwidth does not reach {} bytes, where the roof of {} is read", size,
                                 level_name(level))};
}

/// The edge in the bandwidth curve says what a cache really holds.
void set_measured_capacity(LevelFacts& level, const Submission& probed) {
  for (const harness::CacheEstimate& estimate : probed.derived.caches) {
    if (estimate.level != level.level || estimate.method.find("load_bandwidth") == std::string::npos)
      continue;
    if (const auto* bytes = std::get_if<Interval>(&estimate.effective_bytes))
      level.usable_bytes = measured(*bytes, "cache_capacity");
  }
}

/// That of the last cache; of several ways to look at it the first that saw its end.
Reading<HalfLife> half_life_of(const Submission& probed) {
  const harness::Cache* last = last_level_cache(probed.machine);
  if (last == nullptr) return Unavailable{"this machine reports no data cache"};
  const std::string level = level_name(last->level);
  std::optional<HalfLife> bound;
  for (const harness::RetentionEstimate& estimate : probed.derived.retention) {
    if (estimate.level != level) continue;
    if (const auto* seen = std::get_if<Interval>(&estimate.half_life_ns))
      return HalfLife{level, seen->median, false};
    if (estimate.longer_than_ns && !bound) bound = HalfLife{level, *estimate.longer_than_ns, true};
  }
  if (bound) return *bound;
  return Unavailable{"the probe retention has not run there, or could not tell"};
}

const Microarchitecture* core_of(const harness::Machine& machine) {
  const auto found = find_cpus(machine.cpu_model);
  const std::string kind = measured_core_kind(machine);
  if (found.size() == 1) {
    for (const CpuKind& known : found.front()->kinds) {
      if (known.kind == kind || found.front()->kinds.size() == 1)
        return find_microarchitecture(known.microarchitecture);
    }
  }
  if (machine.core_kinds.size() > 1) return nullptr;
  return find_microarchitecture(machine.vendor, machine.family, machine.model);
}

}  // namespace

MachineFacts facts_of_submission(const Submission& probed, const ChooseKernels& choose,
                                 const WhatIf& what_if) {
  const auto bandwidth = find_curve(probed, "probes", "load_bandwidth", next_sample);
  const auto dram = find_curve(probed, "probes", "dram_stream", next_sample);
  const auto clock = find_curve(probed, "probes", "core_clock", next_sample);
  const Microarchitecture* kind = core_of(probed.machine);
  CoreFacts core;
  core.core_kind = measured_core_kind(probed.machine);
  core.isa = probed.suite.isa;
  core.clock_hz = at_end(clock, "core_clock");
  if (what_if.clock_hz) core.clock_hz = Fact{*what_if.clock_hz, 1, "given", true};
  for (int level = 1; level <= 3; ++level) {
    const harness::Cache* cache = level_cache(probed.machine, level);
    if (cache == nullptr) continue;
    LevelFacts facts = cache_level(level_name(level), static_cast<int64_t>(cache->bytes), "reported", nullptr,
                                   core.clock_hz, "");
    facts.read_bytes_per_s = read_rate(probed, bandwidth, level);
    set_measured_capacity(facts, probed);
    core.levels.push_back(facts);
  }
  LevelFacts memory;
  memory.level = "dram";
  memory.read_bytes_per_s = at_end(dram, "dram_stream");
  core.levels.push_back(memory);
  set_compute(core, kind, choose);
  core.half_life = half_life_of(probed);
  MachineFacts machine;
  machine.name = probed.machine.cpu_model;
  machine.origin = "submission";
  machine.kinds.push_back(core);
  if (probed.machine.core_kinds.size() > 1)
    machine.notes.push_back("its probes measured the kind " + core.core_kind + " alone");
  apply(machine, what_if);
  return machine;
}

}  // namespace analysis
