#include "analysis/shared_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "analysis/probe_series.hpp"
#include "harness/curve.hpp"

namespace analysis {

std::vector<double> handovers_ns(const harness::Series& series) {
  std::vector<double> taken;
  const auto found = series.params.find("handovers_ns");
  if (found == series.params.end()) return taken;
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr) return taken;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at != end) {
    int64_t ns = 0;
    const auto [next, error] = std::from_chars(at, end, ns);
    if (error != std::errc() || ns <= 0 || (next != end && *next != ' ')) return {};
    taken.push_back(static_cast<double>(ns));
    at = next == end ? end : next + 1;
  }
  return taken;
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
  const auto memory_ns = memory_latency_ns(submission);
  if (!memory_ns) return;
  size_t apart = 0, all = 0;
  double longest_ns = 0;
  std::set<std::string> arms;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      const auto taken = handovers_ns(series);
      if (taken.empty()) continue;
      ++all;
      if (!shared_no_cache(series, *memory_ns)) continue;
      ++apart;
      arms.insert(series.arm);
      longest_ns = std::max(longest_ns, *std::max_element(taken.begin(), taken.end()));
    }
  }
  if (apart == 0) return;
  flags.push_back(
      {"cache_not_shared",
       fmt::format(
           "{}: no cache was shared in {} of {} launches, whatever the topology tells: a line took {:.0f} ns "
           "between both PUs, memory takes {:.0f}",
           fmt::join(arms, ", "), apart, all, longest_ns, *memory_ns),
       static_cast<double>(apart) / static_cast<double>(all)});
}

}  // namespace analysis
