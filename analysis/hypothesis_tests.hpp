// What a claim is judged with: tests, power and intervals over launches. Pure functions. The unit is the
// process launch: one value per launch, taken as independent and normal on a log scale.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

/// Where a positive quantity is claimed to lie, ends included; 0 and infinity leave a side open.
struct Region {
  double low = 0, high = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; }
  bool operator==(const Region&) const = default;
};

/// Mean and sample standard deviation of the logarithms of positive values.
struct LogMoments {
  double mean = 0, sd = 0;
  int count = 0;
};
LogMoments log_moments(std::span<const double> values);

/// Returns the p-value of two one-sided t tests (Schuirmann 1987) for "the mean log lies outside the region":
/// the larger of the two. At most alpha / 2 exactly when the 1 − alpha t interval lies inside. 1 with fewer
/// than two values.
double tost_p(std::span<const double> values, const Region& region);

/// Returns the two-sided p-value of "the mean log lies in the region", by t, from the nearest end: at most
/// alpha exactly when the 1 − alpha t interval lies outside. 1 when the mean lies inside, or with fewer than
/// two values.
double t_outside_p(std::span<const double> values, const Region& region);

/// The same of the median, by the sign test: from how few values lie on the other side of the nearest end.
double sign_outside_p(std::span<const double> values, const Region& region);

/// Returns p-values adjusted for being several (Holm 1979), in the order given, each at most 1.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// Returns p-values adjusted so that of those at most q the share of false ones is q on average (Benjamini &
/// Hochberg 1995), in the order given.
std::vector<double> false_discovery_adjusted(std::span<const double> p_values);

/// Most values of both samples together for which mann_whitney_p counts all ways to draw.
inline constexpr size_t max_exact_mann_whitney_values = 120;

/// Returns the two-sided p-value of the rank sum test (Mann & Whitney 1947), ties by midranks: the share of
/// all ways to draw `a` from both that lie at least as far from the mean rank sum. Beyond
/// max_exact_mann_whitney_values by the normal approximation, its variance corrected for ties, its distance
/// for continuity (Lehmann 1975); 1 where all values are equal. Asserts that both are non-empty.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// Returns the median with its percentile bootstrap interval (Efron 1979) over `resamples` draws by our own
/// generator: the same everywhere. Shown beside a t interval, never decides: at ten launches it is too
/// narrow (87 %).
harness::Interval bootstrap_interval(std::span<const double> values, double confidence, int resamples,
                                     uint64_t seed);

/// How launches are assumed to scatter, for planning.
struct Plan {
  int launches = 0;
  double true_value = 1;  ///< what the quantity is assumed to be
  double log_sd = 0;      ///< of a launch's log value
  double alpha = 0.05;    ///< of the interval, two-sided
};

/// Returns the probability that the 1 − alpha t interval lies inside the region, or wholly outside it: an
/// integral over the distribution of the sample's standard deviation (Owen 1965). Without scatter 0 or 1.
/// 0 with fewer than two launches and scatter.
double power_inside(const Plan& plan, const Region& region);
double power_outside(const Plan& plan, const Region& region);

/// Returns the probability that low + t·s < z < high − t·s, z standard normal, s² ~ χ²(degrees) / degrees:
/// what the two above are made of, and the power of TOST at critical value t.
double probability_between(double low, double high, double t, double degrees);

/// Returns how many launches of this scatter would bring the interval to one side of the region's nearest
/// end, were the mean where it is now: at least 2, at most `most` + 1, which means more.
int launches_needed(const LogMoments& moments, const Region& region, double alpha, int most = 100'000);

}  // namespace analysis
