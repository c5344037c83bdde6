#include "analysis/machine_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace analysis {

using harness::Reading;
using harness::Unavailable;

namespace {

Reading<Fact> times(const Prior& prior, const std::string& what, const Reading<Fact>& clock_hz) {
  if (const auto* why = std::get_if<Unavailable>(&clock_hz)) return *why;
  const Fact per_cycle = fact_of(prior, what);
  Fact made = product(per_cycle, std::get<Fact>(clock_hz), per_cycle.source);
  made.verified = per_cycle.verified;  // the clock, a fact of its own, tells of itself
  return made;
}

LevelFacts& level_of(CoreFacts& core, const std::string& name) {
  const auto rank = [](const std::string& level) { return level == "dram" ? std::string("m") : level; };
  auto at = std::find_if(core.levels.begin(), core.levels.end(),
                         [&](const LevelFacts& level) { return rank(level.level) >= rank(name); });
  if (at == core.levels.end() || at->level != name) {
    LevelFacts added;
    added.level = name;
    added.read_bytes_per_s = Unavailable{fmt::format("nothing is known of the speed of its {}", name)};
    at = core.levels.insert(at, added);
  }
  return *at;
}

Fact usable_bytes(const std::string& level, int64_t bytes) {
  const Fact fraction = fact_of(shared_priors().usable_capacity.at(level), "");
  return {fraction.value * static_cast<double>(bytes), fraction.spread, fraction.source, fraction.verified};
}

/// The narrower a core's vector units are than a kernel's vectors, the more cycles it needs.
double width_ratio(const Microarchitecture& kind, const std::string& kernel) {
  const auto bits = shared_priors().kernel_vector_bits.find(kernel);
  if (bits == shared_priors().kernel_vector_bits.end()) return 1;
  return std::min(1.0, static_cast<double>(kind.vector_bits) / bits->second);
}

}  // namespace

std::string origin_of(const Provenance& provenance) {
  return provenance.verified() ? provenance.source : "unverified: " + provenance.unverified;
}

Fact fact_of(const Prior& prior, const std::string& what) {
  const bool verified = prior.provenance.verified();
  const double spread = verified ? prior.spread : prior.spread * prior.spread;
  const std::string origin = origin_of(prior.provenance);
  return {prior.value, spread, what.empty() ? origin : what + ", " + origin, verified};
}

Fact product(const Fact& a, const Fact& b, const std::string& source) {
  return {a.value * b.value, std::exp(std::hypot(std::log(a.spread), std::log(b.spread))), source,
          a.verified && b.verified};
}

void set_compute(CoreFacts& core, const Microarchitecture* kind, const ChooseKernels& choose) {
  core.formula = fact_of(shared_priors().formula, "");
  if (kind == nullptr) {
    const Unavailable why{"nothing is known of what this core multiplies per cycle"};
    core.macs_per_s = core.attention_macs_per_s = core.values_per_s = why;
    return;
  }
  core.microarchitecture = kind->name;
  if (core.isa.empty()) core.isa = choose(kind->isa);
  const auto known = shared_priors().macs_per_cycle.find(core.isa);
  if (known == shared_priors().macs_per_cycle.end()) {
    const Unavailable why{fmt::format("there is no prior for the kernels {}", core.isa)};
    core.macs_per_s = core.attention_macs_per_s = core.values_per_s = why;
    return;
  }
  Prior macs = known->second;
  macs.value *= width_ratio(*kind, core.isa);
  core.macs_per_s = times(macs, core.isa, core.clock_hz);
  Prior attention = shared_priors().attention_share;
  attention.value *= macs.value;
  core.attention_macs_per_s = times(attention, "", core.clock_hz);
  core.values_per_s = times(shared_priors().values_per_cycle, "", core.clock_hz);
}

LevelFacts cache_level(const std::string& level, int64_t bytes, const std::string& size_source,
                       const Microarchitecture* kind, const Reading<Fact>& clock_hz,
                       const std::string& no_prior) {
  LevelFacts made;
  made.level = level;
  made.reported_bytes = bytes;
  made.size_source = size_source;
  made.usable_bytes = usable_bytes(level, bytes);
  made.read_bytes_per_s = Unavailable{no_prior};
  if (kind == nullptr) return made;
  const auto prior = kind->bytes_per_cycle.find(level);
  if (prior == kind->bytes_per_cycle.end()) {
    made.read_bytes_per_s = Unavailable{fmt::format("{} has no prior for an {}", kind->title, level)};
    return made;
  }
  made.read_bytes_per_s = times(prior->second, "", clock_hz);
  return made;
}

void apply(MachineFacts& machine, const WhatIf& what_if) {
  for (CoreFacts& core : machine.kinds) {
    for (const auto& [name, given] : what_if.levels) {
      LevelFacts& level = level_of(core, name);
      if (given.bytes) {
        level.reported_bytes = *given.bytes;
        level.size_source = "given";
        level.usable_bytes = usable_bytes(name, *given.bytes);
      }
      if (given.read_bytes_per_s) level.read_bytes_per_s = Fact{*given.read_bytes_per_s, 1, "given", true};
    }
  }
}

}  // namespace analysis
