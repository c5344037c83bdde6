#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "analysis/calibration.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/eviction.hpp"
#include "analysis/probe_series.hpp"
#include "harness/line_looks.hpp"
#include "harness/residency.hpp"
#include "harness/retention.hpp"

namespace analysis {

using harness::Interval;
using harness::Reading;
using harness::RetentionEstimate;
using harness::RetentionPoint;
using harness::Series;
using harness::Unavailable;

namespace {

/// One set of the series: positions [first, first + delays.size()) of its curves.
struct RestedSet {
  const Series& series;
  size_t first;
  const std::vector<int64_t>& delays_ns;
  double flushed_lap_ns;
  harness::Between between;
};

/// Documents from before looks were stored singly hold the sums over all samples of a delay.
bool holds_single_looks(const Series& series) {
  return series.params.count("lines_per_look") != 0;
}

/// Returns the median lap over the flushed set: from the laps, of documents without them as stated.
double flushed_lap_ns(const harness::Launch& launch, const Series& series, size_t set) {
  for (const Series& each : launch.series) {
    if (each.probe != "retention_references" || each.status != harness::Status::ok) continue;
    if (set >= each.samples_by_size.size() || each.samples_by_size[set].empty()) return 0;
    const auto& laps = each.samples_by_size[set];
    return harness::median(std::vector<double>(laps.begin(), laps.end()));
  }
  return static_cast<double>(integer_param(series, "flushed_lap_" + std::to_string(set) + "_ns", 0));
}

/// Reads the delays, or returns none when they do not ascend: then nothing can be read between them.
std::vector<int64_t> read_delays(const Series& series) {
  const int64_t count = integer_param(series, "delays", 0);
  if (count < 1 || count > 1000) return {};
  std::vector<int64_t> delays_ns;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t delay = integer_param(series, "delay_" + std::to_string(i) + "_ns", 0);
    if (delay < 0 || (i > 0 && delay <= delays_ns.back())) return {};
    delays_ns.push_back(delay);
  }
  return delays_ns;
}

harness::Retention by_lines(const RestedSet& set, const Reading<harness::ResidencyCalibration>& calibration,
                            const std::vector<std::vector<harness::LineCount>>& all_looks) {
  if (const auto* why = std::get_if<Unavailable>(&calibration)) return {*why, std::nullopt};
  const auto& found = std::get<harness::ResidencyCalibration>(calibration);
  const auto looks = std::span(all_looks).subspan(set.first, set.delays_ns.size());
  const size_t rounds = looks.front().size();
  if (rounds == 0 || std::any_of(looks.begin(), looks.end(),
                                 [&](const auto& of_delay) { return of_delay.size() != rounds; }))
    return {Unavailable{"no line was looked at after some delay"}, std::nullopt};
  if (set.between == harness::Between::unknown) {
    if (rounds < 2) return {Unavailable{"a single round tells nothing of how rounds differ"}, std::nullopt};
    return harness::find_half_life(harness::points_by_looks(set.delays_ns, looks, found));
  }
  std::vector<RetentionPoint> points;
  for (size_t i = 0; i < looks.size(); ++i)
    points.push_back({set.delays_ns[i], harness::resident_fraction(found, harness::total_of(looks[i]))});
  return harness::find_half_life(points, set.between);
}

harness::Retention by_laps(const RestedSet& set) {
  std::vector<RetentionPoint> points;
  double warm_ns = 0;
  for (size_t i = 0; i < set.delays_ns.size(); ++i) {
    const auto& samples = set.series.samples_by_size[set.first + i];
    const std::vector<double> laps_ns(samples.begin(), samples.end());
    if (i == 0 && !laps_ns.empty()) warm_ns = harness::median(laps_ns);
    const auto fraction = harness::fraction_by_laps(laps_ns, warm_ns, set.flushed_lap_ns);
    if (const auto* why = std::get_if<Unavailable>(&fraction)) return {*why, std::nullopt};
    points.push_back({set.delays_ns[i], std::get<Interval>(fraction)});
  }
  return harness::find_half_life(points, set.between);
}

}  // namespace

std::vector<RetentionEstimate> derive_retention(const harness::Submission& submission) {
  const auto found = find_series(submission, "probes", "retention");
  if (!available(found)) return {};
  const Series& series = *std::get<const Series*>(found);
  const auto delays_ns = read_delays(series);
  std::vector<RetentionEstimate> estimates;
  if (delays_ns.empty() || series.sizes_bytes.size() % delays_ns.size() != 0 ||
      series.samples_by_size.size() != series.sizes_bytes.size())
    return estimates;
  const harness::Launch& launch = *launch_of(submission, series);
  const auto calibration = calibration_of(launch, series);
  const auto looks = looks_of(series);
  const int64_t largest_bytes = *std::max_element(series.sizes_bytes.begin(), series.sizes_bytes.end());
  for (size_t i = 0; i * delays_ns.size() < series.sizes_bytes.size(); ++i) {
    const std::string number = std::to_string(i);
    const RestedSet set{
        series, i * delays_ns.size(), delays_ns, flushed_lap_ns(launch, series, i),
        holds_single_looks(series) ? harness::Between::unknown : harness::Between::straight_line};
    RetentionEstimate estimate;
    const auto level = series.params.find("level_" + number);
    const auto* name = level == series.params.end() ? nullptr : std::get_if<std::string>(&level->second);
    if (name == nullptr || (*name != "l2" && *name != "l3")) continue;
    estimate.level = *name;
    estimate.core_kind = measured_core_kind(submission.machine);
    estimate.set_bytes = series.sizes_bytes[set.first];
    estimate.delays = static_cast<int64_t>(delays_ns.size());
    estimate.longest_delay_ns = delays_ns.back();
    // A timed load tells a cache from memory, not one cache from another: of a nearer set these are the lines
    // that no cache lost.
    const bool is_largest = estimate.set_bytes == largest_bytes;
    for (auto& [method, retention] : {std::pair{is_largest ? "retention: lines seen by timed loads"
                                                           : "retention: lines still in any cache",
                                                by_lines(set, calibration, looks)},
                                      {"retention: time of a re-read", by_laps(set)}}) {
      estimate.method = method;
      estimate.half_life_ns = retention.half_life_ns;
      estimate.longer_than_ns = retention.longer_than_ns;
      estimates.push_back(estimate);
    }
  }
  return estimates;
}

}  // namespace analysis
