#include "analysis/microarchitectures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"

namespace analysis {
namespace {

using nlohmann::json;

struct Priors {
  std::vector<Microarchitecture> microarchitectures;
  SharedPriors shared;
};

Provenance provenance_of(const json& fact) {
  return {fact.value("source", ""), fact.value("unverified", "")};
}

/// `member` is "" for a spread alone.
Prior prior_of(const json& fact, const char* member) {
  const double value = *member == '\0' ? 1.0 : fact.at(member).get<double>();
  return {value, fact.at("spread"), provenance_of(fact)};
}

Microarchitecture microarchitecture_of(const json& text) {
  Microarchitecture made;
  made.name = text.at("name");
  made.title = text.at("title");
  made.note = text.value("note", "");
  made.isa = text.at("isa");
  made.vector_bits = text.at("vector_bits");
  for (const json& match : text.value("cpuid", json::array()))
    made.cpuid.push_back({match.at("vendor"), match.at("family"), match.at("models")});
  for (const auto& [level, rate] : text.at("levels").items())
    made.bytes_per_cycle.emplace(level, prior_of(rate, "bytes_per_cycle"));
  made.dram_bytes_per_s = prior_of(text.at("dram"), "one_core_bytes_per_s");
  for (const auto& [level, latency] : text.at("latency").items()) {
    made.latency.emplace(
        level, LatencyPrior{latency.value("cycles", 0.0), latency.value("ns", 0.0), provenance_of(latency)});
  }
  return made;
}

SharedPriors shared_of(const json& text) {
  SharedPriors shared;
  shared.dram_peak_fraction = prior_of(text.at("dram_peak_fraction"), "fraction");
  shared.clock = prior_of(text.at("clock"), "");
  shared.clock_without_boost = prior_of(text.at("clock_without_boost"), "");
  shared.memory_fitted = prior_of(text.at("memory_fitted"), "");
  for (const auto& [level, usable] : text.at("usable_capacity").items())
    shared.usable_capacity.emplace(level, prior_of(usable, "fraction"));
  for (const auto& [kernel, macs] : text.at("macs_per_cycle").items()) {
    shared.macs_per_cycle.emplace(kernel, prior_of(macs, "macs"));
    shared.kernel_vector_bits.emplace(kernel, macs.at("vector_bits"));
  }
  for (const auto& [format, speed] : text.at("format_speed").items())
    shared.format_speed.emplace(format, prior_of(speed, "ratio"));
  shared.attention_share = prior_of(text.at("attention_share"), "fraction");
  shared.values_per_cycle = prior_of(text.at("values_per_cycle"), "values");
  shared.formula = prior_of(text.at("formula"), "");
  return shared;
}

const Priors& priors() {
  static const Priors parsed = [] {
    Priors made;
    try {
      const json document = json::parse(catalogue_text("microarchitectures"));
      made.shared = shared_of(document.at("shared"));
      for (const json& text : document.at("microarchitectures"))
        made.microarchitectures.push_back(microarchitecture_of(text));
    } catch (const json::exception& wrong) {
      throw harness::Error(harness::ExitCode::internal,
                           fmt::format("analysis/microarchitectures.json, compiled in: {}", wrong.what()));
    }
    return made;
  }();
  return parsed;
}

bool is_meant(const CpuidMatch& match, std::string_view vendor, int family, int model) {
  return match.vendor == vendor && match.family == family &&
         std::find(match.models.begin(), match.models.end(), model) != match.models.end();
}

}  // namespace

const std::vector<Microarchitecture>& microarchitectures() {
  return priors().microarchitectures;
}

const SharedPriors& shared_priors() {
  return priors().shared;
}

const Microarchitecture* find_microarchitecture(std::string_view name) {
  for (const Microarchitecture& known : microarchitectures()) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

const Microarchitecture* find_microarchitecture(std::string_view vendor, int family, int model) {
  for (const Microarchitecture& known : microarchitectures()) {
    for (const CpuidMatch& match : known.cpuid) {
      if (is_meant(match, vendor, family, model)) return &known;
    }
  }
  return nullptr;
}

}  // namespace analysis
