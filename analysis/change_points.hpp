// Where the level of a sequence changed: E-divisive (Matteson & James 2014, "A nonparametric approach for
// multiple change point analysis of multivariate data"), with seeded permutations. Pure functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

/// When a sequence is split.
struct ChangeRule {
  size_t least_points = 5;  ///< on either side of a change
  int permutations = 999;
  double alpha = 0.01;  ///< a split with a larger p-value is none
  uint64_t seed = 1;
  /// Lag-1 correlation of the orders that it is held against; 0: all orders are equally likely.
  double correlation = 0;
};

/// A place where the level changed.
struct ChangePoint {
  size_t at = 0;  ///< index of the first value after it
  double p = 1;   ///< (1 + permutations that split as well) ÷ (1 + permutations), within the part it splits
};

/// Returns the change points, ascending. The best split is the one with the largest energy statistic
/// (distances |x − y|); its p-value tells how often a random order of the same values splits as well; what
/// splits is split again. What does not split is searched for a stretch that lies apart from the rest
/// (circular binary segmentation, Olshen et al. 2004, of ranks), by the same rule. The same values and rule
/// give the same result everywhere.
std::vector<ChangePoint> find_change_points(std::span<const double> values, const ChangeRule& rule);

/// Returns the shift from `before` to `after` (Hodges & Lehmann 1963: the median of all differences) with its
/// distribution-free interval (Moses; by the normal approximation of the rank sum). Asserts that both are
/// non-empty.
harness::Interval level_shift(std::span<const double> before, std::span<const double> after,
                              double confidence);

/// A straight line through a sequence that takes no notice of outliers.
struct Trend {
  double per_step = 0;        ///< the median of all slopes (Theil 1950, Sen 1968)
  double low = 0, high = 0;   ///< of it (Sen)
  double level_at_start = 0;  ///< on the line
  double p = 1;               ///< two-sided, of "no trend" (Mann 1945, Kendall), corrected for ties
};

/// Fits a line through values at equal steps. Asserts that there are at least three.
Trend fit_trend(std::span<const double> values, double confidence);

/// Returns the standard deviation that the median absolute deviation of normal values would have. Asserts
/// that values is not empty.
double robust_deviation(std::span<const double> values);

/// Returns the quantile of the standard normal distribution; p in (0, 1).
double normal_quantile(double p);
/// Returns P(Z ≤ z) of the standard normal distribution.
double normal_cdf(double z);

}  // namespace analysis
