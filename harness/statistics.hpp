// Order statistics and intervals. Pure functions.
#pragma once
#include <cassert>
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
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }
  /// Uniform in [0, bound) without modulo bias worth naming (128-bit multiply-shift).
  uint64_t below(uint64_t bound) {
    assert(bound > 0);
    __extension__ using Wide = unsigned __int128;  // Lemire 2019, without the rejection step
    return static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  uint64_t state_;
};

}  // namespace harness
