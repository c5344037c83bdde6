#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "analysis/derive_parts.hpp"
#include "analysis/probe_series.hpp"
#include "harness/knees.hpp"

namespace analysis {

using harness::CacheEstimate;
using harness::Interval;
using harness::Knee;
using harness::Reading;
using harness::Unavailable;

namespace {

/// A curve that has edges, and how soon its probe comes back to a line.
struct Method {
  const char* probe;
  const char* retouch;
};
constexpr Method methods[] = {{"load_bandwidth", "cyclic stream"},
                              {"load_latency", "random chase, refreshed before each sample"}};
constexpr int levels[] = {1, 2, 3};
// An edge further off belongs to another cache, or to none that is reported.
constexpr double farthest_ratio = 4;

Reading<std::vector<Knee>> probe_knees(const harness::Submission& submission, const std::string& probe) {
  const auto found = find_series(submission, "probes", probe);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const harness::Series& series = *std::get<const harness::Series*>(found);
  const auto quantity =
      series.work_unit == "loads" ? harness::Quantity::ns_per_unit : harness::Quantity::per_second;
  const auto curve =
      harness::sampled_curve(series.sizes_bytes, series.work_per_sample, series.samples_by_size, quantity);
  if (const auto* why = std::get_if<Unavailable>(&curve)) return Unavailable{probe + ": " + why->reason};
  auto knees = harness::find_knees(std::get<harness::SampledCurve>(curve), quantity);
  if (const auto* why = std::get_if<Unavailable>(&knees)) return Unavailable{probe + ": " + why->reason};
  return knees;
}

/// Returns how long a line was left alone at most before it was read, at a set of `bytes`: a lap of the
/// stream, whose rate by size is given; for the chase a lap of the stream that refreshes it, and the sample.
/// Nothing when a curve does not say.
std::optional<double> retouch_ns(const harness::Submission& submission, const std::string& probe,
                                 const Reading<harness::Curve>& rate, double bytes) {
  if (!available(rate)) return std::nullopt;
  const double lap_ns = bytes / harness::read_at(std::get<harness::Curve>(rate), bytes).value.median * 1e9;
  if (probe == "load_bandwidth") return lap_ns;
  const auto found = find_series(submission, "probes", probe);
  if (!available(found)) return std::nullopt;
  const harness::Series& series = *std::get<const harness::Series*>(found);
  double sample_ns = 0;
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const auto& samples = series.samples_by_size[i];
    if (samples.empty() || (i > 0 && static_cast<double>(series.sizes_bytes[i]) > bytes)) break;
    sample_ns = harness::median(std::vector<double>(samples.begin(), samples.end()));
  }
  return lap_ns + sample_ns;
}

double octaves_between(double left_bytes, double right_bytes) {
  return std::abs(std::log2(left_bytes / right_bytes));
}

/// Returns the level whose reported size is nearest to an edge, or 0.
int nearest_level(const harness::Machine& machine, const Knee& knee) {
  int nearest = 0;
  double best = std::log2(farthest_ratio);
  for (int level : levels) {
    const harness::Cache* cache = level_cache(machine, level);
    if (!cache) continue;
    const double octaves = octaves_between(knee.edge_bytes.median, static_cast<double>(cache->bytes));
    if (octaves > best) continue;
    best = octaves;
    nearest = level;
  }
  return nearest;
}

Reading<Interval> level_edge(const harness::Machine& machine, int level, const std::vector<Knee>& knees,
                             const std::string& probe) {
  const auto reported = static_cast<double>(level_cache(machine, level)->bytes);
  const Knee* best = nullptr;
  const auto octaves = [&](const Knee& knee) { return octaves_between(knee.edge_bytes.median, reported); };
  for (const Knee& knee : knees) {
    if (nearest_level(machine, knee) != level) continue;
    if (!best || octaves(knee) < octaves(*best)) best = &knee;
  }
  if (!best)
    return Unavailable{
        fmt::format("{} shows no edge within a quarter and four times the reported size", probe)};
  return best->edge_bytes;
}

}  // namespace

std::vector<CacheEstimate> derive_caches(const harness::Submission& submission) {
  const harness::Machine& machine = submission.machine;
  Reading<std::vector<Knee>> knees[std::size(methods)];
  for (size_t i = 0; i < std::size(methods); ++i) knees[i] = probe_knees(submission, methods[i].probe);
  const auto rate = find_curve(submission, "probes", "load_bandwidth", harness::Spread::of_median_95);
  std::vector<CacheEstimate> estimates;
  for (int level : levels) {
    const harness::Cache* cache = level_cache(machine, level);
    if (!cache) continue;
    for (size_t i = 0; i < std::size(methods); ++i) {
      CacheEstimate estimate;
      estimate.level = level_name(level);
      estimate.core_kind = measured_core_kind(machine);
      estimate.reported_bytes = static_cast<int64_t>(cache->bytes);
      estimate.method = fmt::format("cache_capacity: change-point of {}", methods[i].probe);
      estimate.retouch = methods[i].retouch;
      if (const auto* why = std::get_if<Unavailable>(&knees[i])) {
        estimate.effective_bytes = *why;
      } else {
        estimate.effective_bytes =
            level_edge(machine, level, std::get<std::vector<Knee>>(knees[i]), methods[i].probe);
      }
      if (const auto* edge = std::get_if<Interval>(&estimate.effective_bytes))
        estimate.retouch_ns = retouch_ns(submission, methods[i].probe, rate, edge->median);
      estimates.push_back(estimate);
    }
  }
  return estimates;
}

}  // namespace analysis
