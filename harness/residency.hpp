// Which lines lie in a cache, judged from the time that a single load of each took. Pure functions, so that
// whoever receives a submission recomputes what a probe concluded.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/error.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// What tells a cached line from one in memory, and how often it is wrong.
struct ResidencyCalibration {
  int64_t threshold_ticks = 0;                  ///< a load that takes this long, or longer, came from memory
  int64_t cached_lines = 0, cached_missed = 0;  ///< lines known to be cached; called "memory" of them
  int64_t flushed_lines = 0, flushed_missed = 0;  ///< lines just flushed; called "cached" of them
  bool operator==(const ResidencyCalibration&) const = default;
};

/// Returns loads of lines in two caches in turn, two by two, so that both halves of a calibration hold both.
std::vector<int64_t> in_turn(std::span<const int64_t> near_ticks, std::span<const int64_t> far_ticks);

/// Finds the threshold on every second value of both lists and counts the errors on the others, so that a
/// threshold does not judge itself. Unavailable with fewer than 16 values of either, or when more than one
/// line in ten is called wrong: the timer is too coarse, or nothing is cached.
Reading<ResidencyCalibration> calibrate_residency(std::span<const int64_t> cached_ticks,
                                                  std::span<const int64_t> flushed_ticks);

/// Numbers as a series of a submission has them.
using EvidenceParams = std::map<std::string, std::variant<int64_t, double, std::string>>;

/// Writes a calibration as params of a series and reads it back. Unavailable when one is missing or counts
/// contradict each other.
EvidenceParams calibration_params(const ResidencyCalibration& calibration);
Reading<ResidencyCalibration> read_calibration(const EvidenceParams& params);

/// Lines looked at, and how many of them a threshold calls cached.
struct LineCount {
  int64_t lines = 0, resident = 0;
  bool operator==(const LineCount&) const = default;
};
LineCount& operator+=(LineCount& sum, const LineCount& other);

/// Returns the share of cached lines with an interval of at least 95 %: the observed share o corrected for
/// wrong calls, (o − f) / (1 − m − f), f = flushed lines called cached, m = cached lines called memory (Rogan
/// & Gladen 1978), cut to [0, 1]. Each of the three shares has its exact binomial interval at 1 − 0.05/3, and
/// the ends combine the worst of them. [0, 1] when nothing was looked at.
Interval resident_fraction(const ResidencyCalibration& calibration, const LineCount& count);

/// Up to which share a set counts as evicted: what laps allow, too (cold_size.hpp).
inline constexpr double cold_resident_share = 0.1;

/// Returns whether the count proves the set cold: the interval lies at or below cold_resident_share.
bool is_cold(const ResidencyCalibration& calibration, const LineCount& count);

/// Returns |by counter − by timing| in points of 100, or why they cannot be compared. `misses` of
/// `lines_read` came from memory according to a hardware counter; `resident` is what timing says was cached.
Reading<double> residency_disagreement_points(int64_t misses, int64_t lines_read, const Interval& resident);

/// From how many points on the two disagree.
inline constexpr double disagreement_limit_points = 10;

}  // namespace harness
