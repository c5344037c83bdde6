// A straight line through a sequence, declared beside the change points.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "analysis/change_points.hpp"

namespace analysis {
namespace {

/// Variance of Kendall's S of n values with ties.
double kendall_variance(std::span<const double> values) {
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = term(static_cast<double>(sorted.size()));
  for (size_t i = 0; i < sorted.size();) {
    const size_t same = i;
    while (i < sorted.size() && sorted[i] == sorted[same]) ++i;
    sum -= term(static_cast<double>(i - same));
  }
  return std::max(0.0, sum / 18);
}

}  // namespace

Trend fit_trend(std::span<const double> values, double confidence) {
  const size_t n = values.size();
  assert(n >= 3);
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  double s = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      const double difference = values[j] - values[i];
      slopes.push_back(difference / static_cast<double>(j - i));
      s += difference > 0 ? 1 : difference < 0 ? -1 : 0;
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const double deviation = std::sqrt(kendall_variance(values));
  Trend trend;
  trend.per_step = harness::median(slopes);
  const double z = normal_quantile((1 + confidence) / 2);
  const double pairs = static_cast<double>(slopes.size());
  const auto skip = static_cast<size_t>(std::max(0.0, std::floor((pairs - z * deviation) / 2)));
  trend.low = slopes[std::min(skip, slopes.size() - 1)];
  trend.high = slopes[slopes.size() - 1 - std::min(skip, slopes.size() - 1)];
  std::vector<double> levels;
  levels.reserve(n);
  for (size_t i = 0; i < n; ++i) levels.push_back(values[i] - trend.per_step * static_cast<double>(i));
  trend.level_at_start = harness::median(levels);
  if (deviation > 0 && s != 0) trend.p = std::min(1.0, 2 * normal_cdf(-(std::abs(s) - 1) / deviation));
  return trend;
}

}  // namespace analysis
