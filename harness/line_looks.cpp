#include "harness/line_looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace harness {
namespace {

constexpr int64_t digit_base = 36;

/// A share of errors and its variance, as if two more of each kind had been seen (Agresti & Coull 1998): none
/// seen is not none there.
struct ErrorRate {
  double share, variance;
};
ErrorRate error_rate(int64_t wrong, int64_t lines) {
  if (lines <= 0) return {0, 0.25};
  const double padded_lines = static_cast<double>(lines) + 4;
  const double padded_share = (static_cast<double>(wrong) + 2) / padded_lines;
  return {static_cast<double>(wrong) / static_cast<double>(lines),
          padded_share * (1 - padded_share) / padded_lines};
}

/// How observed shares become shares of cached lines, and how sure that is.
struct Correction {
  ErrorRate cached, memory;  ///< flushed lines called cached; cached lines called memory
  double scale;

  explicit Correction(const ResidencyCalibration& from)
      : cached(error_rate(from.flushed_missed, from.flushed_lines)),
        memory(error_rate(from.cached_missed, from.cached_lines)),
        scale(std::max(1 - cached.share - memory.share, 0.1)) {}
  [[nodiscard]] double share(const LineCount& look) const {
    assert(look.lines > 0);
    return (static_cast<double>(look.resident) / static_cast<double>(look.lines) - cached.share) / scale;
  }
  /// The variance of a share that is drawn by chance alone, line by line.
  [[nodiscard]] double chance_variance(std::span<const LineCount> looks) const {
    const LineCount all = total_of(looks);
    return error_rate(all.resident, all.lines).variance / (scale * scale);
  }
};

/// mean ± the hypotenuse of what the looks and what the error rates leave open.
Interval t_interval(const std::vector<double>& values, double least_variance, double correction_variance,
                    double confidence) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double variance = std::max(squares / (count - 1) / count, least_variance);
  const double by_looks = student_t_quantile(0.5 + confidence / 2, count - 1) * std::sqrt(variance);
  // The error rates were counted over many lines: their spread is that of a normal.
  constexpr double many_degrees = 1e6;
  const double by_errors =
      student_t_quantile(0.5 + confidence / 2, many_degrees) * std::sqrt(correction_variance);
  const double half_width = std::hypot(by_looks, by_errors);
  return {mean, mean - half_width, mean + half_width};
}

}  // namespace

std::string look_digits(std::span<const int64_t> counts) {
  std::string text;
  for (const int64_t count : counts) {
    assert(count >= 0 && count < digit_base);
    text += static_cast<char>(count < 10 ? '0' + count : 'a' + (count - 10));
  }
  return text;
}

Reading<std::vector<int64_t>> read_look_digits(const std::string& text) {
  std::vector<int64_t> counts;
  for (const char digit : text) {
    if (digit >= '0' && digit <= '9') {
      counts.push_back(digit - '0');
    } else if (digit >= 'a' && digit <= 'z') {
      counts.push_back(digit - 'a' + 10);
    } else {
      return Unavailable{fmt::format("'{}' is no count of lines", digit)};
    }
  }
  if (counts.empty()) return Unavailable{"no look is written"};
  return counts;
}

LineCount total_of(std::span<const LineCount> looks) {
  LineCount total;
  for (const LineCount& look : looks) total += look;
  return total;
}

Interval share_of_looks(const ResidencyCalibration& calibration, std::span<const LineCount> looks,
                        double confidence) {
  const Correction correction(calibration);
  std::vector<double> shares;
  double mean = 0;
  for (const LineCount& look : looks) {
    shares.push_back(correction.share(look));
    mean += shares.back() / static_cast<double>(looks.size());
  }
  const auto cut = [](double share) { return std::clamp(share, 0.0, 1.0); };
  if (shares.size() < 2) return {cut(mean), 0, 1};
  const double by_errors =
      ((mean - 1) * (mean - 1) * correction.cached.variance + mean * mean * correction.memory.variance) /
      (correction.scale * correction.scale);
  const auto found = t_interval(shares, correction.chance_variance(looks), by_errors, confidence);
  return {cut(found.median), cut(found.low), cut(found.high)};
}

Interval share_beyond_half(const ResidencyCalibration& calibration, std::span<const LineCount> looks,
                           std::span<const LineCount> first, double confidence) {
  assert(looks.size() == first.size());
  const Correction correction(calibration);
  std::vector<double> differences;
  double mean = 0;
  for (size_t i = 0; i < looks.size(); ++i) {
    differences.push_back(correction.share(looks[i]) - correction.share(first[i]) / 2);
    mean += differences.back() / static_cast<double>(looks.size());
  }
  if (differences.size() < 2) return {mean, -1, 1};
  // Lines that are wrongly called memory scale both shares alike.
  const double by_errors =
      ((mean - 0.5) * (mean - 0.5) * correction.cached.variance + mean * mean * correction.memory.variance) /
      (correction.scale * correction.scale);
  return t_interval(differences, correction.chance_variance(looks) + correction.chance_variance(first) / 4,
                    by_errors, confidence);
}

bool is_cold(const ResidencyCalibration& calibration, std::span<const LineCount> looks) {
  if (looks.size() == 1) return is_cold(calibration, looks.front());
  constexpr double both_sides_confidence = 0.90;  // 95 % on one
  return !looks.empty() &&
         share_of_looks(calibration, looks, both_sides_confidence).high <= cold_resident_share;
}

}  // namespace harness
