// Facts of a CPU of the catalogue, and of a recorded topology.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/machine_facts.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;

namespace {

constexpr double channel_bytes = 8;  // width of a DDR channel (JEDEC JESD79)

Reading<Fact> given_clock(const WhatIf& what_if) {
  if (what_if.clock_hz) return Fact{*what_if.clock_hz, 1, "given", true};
  return Unavailable{"its clock is not known; give one: --what-if clock=3GHz"};
}

/// One busy core runs near the boost clock where one is known, else somewhere above the base clock.
Reading<Fact> clock_of(double base_hz, double boost_hz, const Provenance& provenance, const WhatIf& what_if) {
  if (what_if.clock_hz || base_hz + boost_hz <= 0) return given_clock(what_if);
  const bool boosts = boost_hz > 0;
  const SharedPriors& shared = shared_priors();
  const Prior& prior = boosts ? shared.clock : shared.clock_without_boost;
  Fact clock = fact_of(prior, "");
  clock.value = boosts ? boost_hz : base_hz;
  // Of a clock that nobody checked, both how far it is reached and what it is are uncertain.
  if (!provenance.verified()) {
    clock.spread *= clock.spread;
    clock.verified = false;
    clock.source = origin_of(provenance);
  } else {
    clock.source =
        fmt::format("{} clock of {}, {}", boosts ? "boost" : "base", provenance.source, clock.source);
  }
  return clock;
}

/// What one core reads from memory: the least of what a core asks for and what the channels give.
Fact dram_rate(const Microarchitecture& kind, const CpuMemory& memory) {
  const SharedPriors& shared = shared_priors();
  Fact core = fact_of(kind.dram_bytes_per_s, "");
  const Fact fitted = fact_of(shared.memory_fitted, "");
  const double range = std::sqrt(memory.fastest_transfers_per_s / memory.slowest_transfers_per_s);
  const double rate = std::sqrt(memory.fastest_transfers_per_s * memory.slowest_transfers_per_s);
  const bool verified = memory.provenance.verified();
  const Fact fraction = fact_of(shared.dram_peak_fraction, "");
  const std::string source =
      fmt::format("{} channels of {}, {}", memory.channels, fmt::join(memory.types, " or "),
                  verified ? fraction.source : origin_of(memory.provenance));
  const double spread = fitted.spread * range * (verified ? 1 : fitted.spread);
  const Fact peak{memory.channels * channel_bytes * rate, spread, source, verified};
  const Fact channels = product(fraction, peak, source);
  return channels.value < core.value ? channels : core;
}

LevelFacts dram_level(Reading<Fact> rate) {
  LevelFacts level;
  level.level = "dram";
  level.read_bytes_per_s = std::move(rate);
  return level;
}

/// A size that nobody checked makes the usable share less certain, too.
void mark_unverified(LevelFacts& level, const std::string& why) {
  level.usable_bytes->spread *= level.usable_bytes->spread;
  level.usable_bytes->verified = false;
  level.usable_bytes->source = "its size, unverified: " + why;
}

CoreFacts facts_of_kind(const Cpu& cpu, const CpuKind& kind, const ChooseKernels& choose,
                        const WhatIf& what_if) {
  const Microarchitecture* core = find_microarchitecture(kind.microarchitecture);
  CoreFacts facts;
  facts.core_kind = kind.kind;
  facts.clock_hz = clock_of(kind.base_hz, kind.boost_hz, kind.clock, what_if);
  const std::string no_prior = fmt::format("there is no prior for {}", kind.microarchitecture);
  for (const CpuCache& cache : kind.caches) {
    facts.levels.push_back(
        cache_level(cache.level, cache.bytes, origin_of(cache.provenance), core, facts.clock_hz, no_prior));
    if (!cache.provenance.verified()) mark_unverified(facts.levels.back(), cache.provenance.unverified);
  }
  Reading<Fact> dram = Unavailable{no_prior};
  if (core != nullptr) dram = dram_rate(*core, cpu.memory);
  facts.levels.push_back(dram_level(dram));
  set_compute(facts, core, choose);
  return facts;
}

/// Reads "… @ 2.50GHz" or "…@1800MHz"; 0 when a name tells no clock.
double clock_in_name(const std::string& name) {
  const size_t at = name.rfind('@');
  if (at == std::string::npos) return 0;
  const size_t first = name.find_first_not_of(' ', at + 1);
  if (first == std::string::npos) return 0;
  double value = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + first, end, value);
  const std::string_view unit(read.ptr, static_cast<size_t>(end - read.ptr));
  if (read.ec != std::errc()) return 0;
  return unit.starts_with("GHz") ? value * 1e9 : unit.starts_with("MHz") ? value * 1e6 : 0;
}

/// The catalogue's kind that a topology's kind is: of the same name, else of the same rank.
const CpuKind* kind_of(const Cpu* cpu, const harness::Topology& topology, size_t index) {
  if (cpu == nullptr) return nullptr;
  for (const CpuKind& kind : cpu->kinds) {
    if (kind.kind == topology.core_kinds[index].name) return &kind;
  }
  return cpu->kinds.size() == topology.core_kinds.size() ? &cpu->kinds[index] : nullptr;
}

int first_pu(const harness::Topology& topology, size_t kind) {
  for (const harness::Pu& pu : topology.pus) {
    if (pu.core_kind == static_cast<int>(kind)) return pu.os_index;
  }
  return -1;
}

CoreFacts facts_of_recorded_kind(const harness::Topology& topology, size_t index, const Cpu* cpu,
                                 const ChooseKernels& choose, const WhatIf& what_if) {
  const CpuKind* known = kind_of(cpu, topology, index);
  const Microarchitecture* core = nullptr;
  if (known != nullptr) core = find_microarchitecture(known->microarchitecture);
  // CPUID's numbers are those of one kind: they say nothing of the others.
  if (core == nullptr && topology.core_kinds.size() == 1)
    core = find_microarchitecture(topology.cpu_vendor, topology.cpu_family, topology.cpu_model_number);
  CoreFacts facts;
  facts.core_kind = topology.core_kinds[index].name;
  facts.clock_hz = known != nullptr
                       ? clock_of(known->base_hz, known->boost_hz, known->clock, what_if)
                       : clock_of(clock_in_name(topology.cpu_model), 0, {"its name", ""}, what_if);
  const std::string no_prior = fmt::format(
      "nobody has told what a core of {} reads per cycle; probe it there (tokroof probe) or give rates: "
      "--what-if l2=50GB/s,dram=10GB/s",
      topology.cpu_model.empty() ? "this CPU" : plain_cpu_name(topology.cpu_model));
  for (int level = 1; level <= 3; ++level) {
    const harness::Cache* cache = harness::find_cache(topology, level, first_pu(topology, index));
    if (cache == nullptr || cache->bytes == 0) continue;
    facts.levels.push_back(cache_level(fmt::format("l{}", level), static_cast<int64_t>(cache->bytes),
                                       "recorded", core, facts.clock_hz, no_prior));
  }
  Reading<Fact> dram = Unavailable{no_prior};
  if (core != nullptr && cpu != nullptr) dram = dram_rate(*core, cpu->memory);
  if (core != nullptr && cpu == nullptr) dram = fact_of(core->dram_bytes_per_s, "");
  facts.levels.push_back(dram_level(dram));
  set_compute(facts, core, choose);
  return facts;
}

}  // namespace

MachineFacts facts_of_cpu(const Cpu& cpu, const ChooseKernels& choose, const WhatIf& what_if) {
  MachineFacts machine;
  machine.name = cpu.name;
  machine.origin = "catalogue";
  for (const CpuKind& kind : cpu.kinds) machine.kinds.push_back(facts_of_kind(cpu, kind, choose, what_if));
  if (!cpu.note.empty()) machine.notes.push_back(cpu.note);
  apply(machine, what_if);
  return machine;
}

MachineFacts facts_of_topology(const harness::Topology& topology, const ChooseKernels& choose,
                               const WhatIf& what_if) {
  MachineFacts machine;
  machine.origin = "topology";
  machine.name = topology.cpu_model.empty() ? "a CPU without a name" : topology.cpu_model;
  const auto found = find_cpus(topology.cpu_model);
  const Cpu* cpu = found.size() == 1 ? found.front() : nullptr;
  if (cpu != nullptr) machine.notes.push_back("its speeds are those of " + cpu->name + " in the catalogue");
  for (size_t i = 0; i < topology.core_kinds.size(); ++i)
    machine.kinds.push_back(facts_of_recorded_kind(topology, i, cpu, choose, what_if));
  apply(machine, what_if);
  return machine;
}

}  // namespace analysis
