// A measured quantity over working-set sizes: rates or times with their spread, read off between sizes. Pure
// functions, so that whoever receives a submission recomputes what a probe's curve says.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/error.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// values[i] is the median at sizes_bytes[i], with its interval [low[i], high[i]]. Sizes ascend strictly; all
/// values are positive and finite.
struct Curve {
  std::vector<int64_t> sizes_bytes;
  std::vector<double> values, low, high;
  bool operator==(const Curve&) const = default;
};

/// All sampled values over working-set sizes, before any is chosen or averaged. Sizes ascend strictly;
/// values_by_size[i] holds at least one value at sizes_bytes[i]; all values are positive and finite.
struct SampledCurve {
  std::vector<int64_t> sizes_bytes;
  std::vector<std::vector<double>> values_by_size;
};

/// What a sample of `work` units lasting `ns` says.
enum class Quantity {
  per_second,   ///< work ÷ duration: bytes/s, cycles/s
  ns_per_unit,  ///< duration ÷ work: ns per load
};

/// What the interval around a median is meant to hold, at which confidence.
enum class Spread {
  of_median_95,  ///< the median itself: t interval on logs, 95 %
  of_next_90,    ///< one further sample: t prediction interval on logs, 90 %
};

/// Turns a series as submissions store it into values: samples_by_size[i][j] is the ns of the j-th sample at
/// sizes_bytes[i], each doing work_per_sample[i] units. Sizes may come in any order.
/// Unavailable when there is no size, the three do not fit together, a size stands twice, or a duration or
/// amount of work is not positive (it would make an infinite speed).
Reading<SampledCurve> sampled_curve(std::span<const int64_t> sizes_bytes,
                                    std::span<const int64_t> work_per_sample,
                                    std::span<const std::vector<int64_t>> samples_by_size, Quantity quantity);

/// The same, with the values of each size reduced to their median and interval.
Reading<Curve> make_curve(std::span<const int64_t> sizes_bytes, std::span<const int64_t> work_per_sample,
                          std::span<const std::vector<int64_t>> samples_by_size, Quantity quantity,
                          Spread spread);

/// A value read off a curve.
struct CurvePoint {
  Interval value;
  bool clamped = false;  ///< the size lay outside the curve: this is the value at its nearer end
};

/// Interpolates value and interval linearly on log-log axes at a size (> 0). Asserts that the curve is not
/// empty.
CurvePoint read_at(const Curve& curve, double size_bytes);

enum class Direction { falling, rising };

/// Returns the monotone curve nearest in least squares on logarithms (pool adjacent violators; Barlow,
/// Bartholomew, Bremner, Brunk 1972), every size with weight one. Intervals move with their value, keeping
/// their relative width.
Curve monotone_fit(const Curve& curve, Direction direction);

/// Returns the t prediction interval for one further value, taken on logarithms: exp(mean(log) ± t·s·√(1 +
/// 1/n)), widened if need be to hold the sample median. With fewer than two values low = high = median.
/// Asserts positive values.
Interval next_value_interval(std::span<const double> values, double confidence);

}  // namespace harness
