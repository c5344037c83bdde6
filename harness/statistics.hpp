// Order statistics and intervals. Pure functions.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace harness {

/// A central value with its interval; the coverage is said where it is made (95 % unless told).
struct Interval {
  double median = 0, low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// Returns the p-quantile (0 ≤ p ≤ 1) by linear interpolation between order statistics (Hyndman & Fan type
/// 7). Asserts that values is not empty.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);

/// Returns P(T ≤ t) of Student's t with `degrees` degrees of freedom (Abramowitz & Stegun 26.7.1).
double student_t_cdf(double t, double degrees);

/// Quantile function of Student's t with `degrees` degrees of freedom; p in (0, 1).
double student_t_quantile(double p, double degrees);

/// Returns median and the t interval of positive values, taken on their logarithms at `confidence`.
/// The median is the sample median; the interval is exp(mean(log) ± t·s/√n), widened if need be to hold the
/// median. With fewer than two values low = high = median.
Interval log_t_interval(std::span<const double> values, double confidence = 0.95);

/// Returns the distribution-free interval from order statistics (sign test) around the median; with too few
/// values for the confidence it is [min, max].
Interval sign_interval(std::span<const double> values, double confidence = 0.95);

/// Returns successes ÷ trials with the exact interval of a binomial share (Clopper & Pearson 1934): the
/// shares under which neither so few nor so many successes would have a probability below (1 − confidence)
/// / 2. [0, 1] without trials. Asserts 0 ≤ successes ≤ trials.
Interval binomial_interval(int64_t successes, int64_t trials, double confidence = 0.95);

/// Counter-based generator (Steele, Lea, Flood 2014, SplitMix64): the same sequence on every library.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// Uniform in [0, bound) without modulo bias worth naming (128-bit multiply-shift).
  uint64_t below(uint64_t bound);

 private:
  uint64_t state_;
};

}  // namespace harness
