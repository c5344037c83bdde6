#include "analysis/shared_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/probe_series.hpp"
#include "harness/curve.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

std::vector<double> handovers_ns(const harness::Series& series) {
  const auto numbers = harness::numbers_between_spaces(series.params, "handovers_ns");
  if (!available(numbers)) return {};
  const auto& ns = std::get<std::vector<int64_t>>(numbers);
  if (std::any_of(ns.begin(), ns.end(), [](int64_t each) { return each <= 0; })) return {};
  return {ns.begin(), ns.end()};
}

std::optional<double> memory_latency_ns(const harness::Submission& submission) {
  const auto reading = find_curve(submission, "probes", "load_latency", harness::Spread::of_median_95);
  const harness::Cache* last = last_level_cache(submission.machine);
  if (!available(reading) || last == nullptr) return std::nullopt;
  const auto& curve = std::get<harness::Curve>(reading);
  if (static_cast<uint64_t>(curve.sizes_bytes.back()) < 2 * last->bytes) return std::nullopt;
  return curve.values.back();
}

bool shared_no_cache(const harness::Series& series, double memory_ns) {
  if (series.placement != "same_llc" && series.placement != "sibling") return false;
  const auto taken = handovers_ns(series);
  return std::any_of(taken.begin(), taken.end(), [&](double ns) { return ns > memory_ns; });
}

void flag_cache_not_shared(const harness::Submission& submission, std::vector<harness::Flag>& flags) {
  std::vector<const harness::Series*> looked_at;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (!handovers_ns(series).empty()) looked_at.push_back(&series);
    }
  }
  if (looked_at.empty()) return;
  const auto memory_ns = memory_latency_ns(submission);
  if (!memory_ns) return;
  size_t apart = 0;
  double longest_ns = 0;
  std::set<std::string> arms;
  for (const harness::Series* series : looked_at) {
    if (!shared_no_cache(*series, *memory_ns)) continue;
    ++apart;
    arms.insert(series->arm);
    const auto taken = handovers_ns(*series);
    longest_ns = std::max(longest_ns, *std::max_element(taken.begin(), taken.end()));
  }
  if (apart == 0) return;
  flags.push_back({"cache_not_shared",
                   fmt::format("{}: no shared cache in {} of {} launches: a line took {:.0f} ns between both "
                               "PUs, memory takes {:.0f}",
                               fmt::join(arms, ", "), apart, looked_at.size(), longest_ns, *memory_ns),
                   static_cast<double>(apart) / static_cast<double>(looked_at.size())});
}

}  // namespace analysis
