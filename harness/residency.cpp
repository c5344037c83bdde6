#include "harness/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace harness {
namespace {

constexpr size_t least_values = 16;
constexpr double wrong_share_limit = 0.1;
// Three shares enter: together they hold at 95 % (Bonferroni).
constexpr double share_confidence = 1 - 0.05 / 3;

/// Returns every second value from `first` on, sorted.
std::vector<int64_t> every_second(std::span<const int64_t> values, size_t first) {
  std::vector<int64_t> half;
  for (size_t i = first; i < values.size(); i += 2) half.push_back(values[i]);
  std::sort(half.begin(), half.end());
  return half;
}

int64_t count_below(const std::vector<int64_t>& sorted, int64_t limit) {
  return std::lower_bound(sorted.begin(), sorted.end(), limit) - sorted.begin();
}

/// Wrong calls as a share of each list, added up: lists of unequal length weigh the same.
double wrong_shares(const std::vector<int64_t>& cached, const std::vector<int64_t>& flushed,
                    int64_t threshold) {
  const auto missed =
      static_cast<double>(static_cast<int64_t>(cached.size()) - count_below(cached, threshold));
  return missed / static_cast<double>(cached.size()) +
         static_cast<double>(count_below(flushed, threshold)) / static_cast<double>(flushed.size());
}

/// Returns the middle of the widest gap (by ratio) between neighbouring values that makes the fewest errors.
int64_t best_threshold(const std::vector<int64_t>& cached, const std::vector<int64_t>& flushed) {
  std::vector<int64_t> values = cached;
  values.insert(values.end(), flushed.begin(), flushed.end());
  std::sort(values.begin(), values.end());
  double fewest = 2, widest = 0;
  int64_t best = values.front();
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] == values[i - 1]) continue;
    const double wrong = wrong_shares(cached, flushed, values[i]);
    const double below = std::max(static_cast<double>(values[i - 1]), 1.0);
    const double above = static_cast<double>(values[i]);
    if (wrong > fewest || (wrong == fewest && above / below <= widest)) continue;
    fewest = wrong;
    widest = above / below;
    best = std::max(values[i - 1] + 1, static_cast<int64_t>(std::llround(std::sqrt(below * above))));
  }
  return best;
}

double corrected(double observed, double false_cached, double false_memory) {
  const double scale = 1 - false_cached - false_memory;
  if (scale <= 0) return observed > false_cached ? 1 : 0;
  return std::clamp((observed - false_cached) / scale, 0.0, 1.0);
}

}  // namespace

std::vector<int64_t> in_turn(std::span<const int64_t> near_ticks, std::span<const int64_t> far_ticks) {
  std::vector<int64_t> ticks;
  for (size_t i = 0; i < std::max(near_ticks.size(), far_ticks.size()); i += 2) {
    for (const auto place : {near_ticks, far_ticks}) {
      for (size_t j = i; j < std::min(i + 2, place.size()); ++j) ticks.push_back(place[j]);
    }
  }
  return ticks;
}

Reading<ResidencyCalibration> calibrate_residency(std::span<const int64_t> cached_ticks,
                                                  std::span<const int64_t> flushed_ticks) {
  if (cached_ticks.size() < least_values || flushed_ticks.size() < least_values) {
    return Unavailable{fmt::format("{} cached and {} flushed lines are too few to find a threshold",
                                   cached_ticks.size(), flushed_ticks.size())};
  }
  const auto cached = every_second(cached_ticks, 0), flushed = every_second(flushed_ticks, 0);
  const auto cached_check = every_second(cached_ticks, 1), flushed_check = every_second(flushed_ticks, 1);
  ResidencyCalibration found;
  found.threshold_ticks = best_threshold(cached, flushed);
  found.cached_lines = static_cast<int64_t>(cached_check.size());
  found.cached_missed = found.cached_lines - count_below(cached_check, found.threshold_ticks);
  found.flushed_lines = static_cast<int64_t>(flushed_check.size());
  found.flushed_missed = count_below(flushed_check, found.threshold_ticks);
  const auto limit = [](int64_t lines) { return wrong_share_limit * static_cast<double>(lines); };
  if (static_cast<double>(found.cached_missed) > limit(found.cached_lines) ||
      static_cast<double>(found.flushed_missed) > limit(found.flushed_lines)) {
    return Unavailable{
        fmt::format("the timer cannot tell cached lines (median {} ticks) from flushed ones ({} ticks)",
                    cached[cached.size() / 2], flushed[flushed.size() / 2])};
  }
  return found;
}

EvidenceParams calibration_params(const ResidencyCalibration& calibration) {
  return {{"threshold_ticks", calibration.threshold_ticks},
          {"cached_lines", calibration.cached_lines},
          {"cached_missed", calibration.cached_missed},
          {"flushed_lines", calibration.flushed_lines},
          {"flushed_missed", calibration.flushed_missed}};
}

Reading<ResidencyCalibration> read_calibration(const EvidenceParams& params) {
  std::string missing;
  const auto number = [&](const char* name) {
    const auto found = params.find(name);
    const auto* value = found == params.end() ? nullptr : std::get_if<int64_t>(&found->second);
    if (value == nullptr) missing = name;
    return value == nullptr ? int64_t{0} : *value;
  };
  const ResidencyCalibration read{number("threshold_ticks"), number("cached_lines"), number("cached_missed"),
                                  number("flushed_lines"), number("flushed_missed")};
  if (!missing.empty()) return Unavailable{missing + " is missing"};
  if (read.cached_missed < 0 || read.cached_missed > read.cached_lines || read.flushed_missed < 0 ||
      read.flushed_missed > read.flushed_lines)
    return Unavailable{"the calibration's counts contradict each other"};
  return read;
}

LineCount& operator+=(LineCount& sum, const LineCount& other) {
  sum.lines += other.lines;
  sum.resident += other.resident;
  return sum;
}

Interval resident_fraction(const ResidencyCalibration& calibration, const LineCount& count) {
  if (count.lines <= 0) return {0, 0, 1};
  const auto observed = binomial_interval(count.resident, count.lines, share_confidence);
  const auto memory =
      binomial_interval(calibration.cached_missed, calibration.cached_lines, share_confidence);
  const auto cached =
      binomial_interval(calibration.flushed_missed, calibration.flushed_lines, share_confidence);
  // The corrected share falls with f and rises with m, wherever 0 ≤ o − f and o ≤ 1 − m.
  return {corrected(observed.median, cached.median, memory.median),
          corrected(observed.low, cached.high, memory.low),
          corrected(observed.high, cached.low, memory.high)};
}

bool is_cold(const ResidencyCalibration& calibration, const LineCount& count) {
  return count.lines > 0 && resident_fraction(calibration, count).high <= cold_resident_share;
}

Reading<double> residency_disagreement_points(int64_t misses, int64_t lines_read, const Interval& resident) {
  if (lines_read <= 0) return Unavailable{"no lines were read under the counter"};
  if (misses < 0) return Unavailable{"the counter gave no count of misses"};
  // Prefetches that are counted beside make more misses than lines: no more than all can come from memory.
  const double missed = std::min(1.0, static_cast<double>(misses) / static_cast<double>(lines_read));
  return 100 * std::abs((1 - missed) - resident.median);
}

}  // namespace harness
