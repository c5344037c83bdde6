#include "analysis/time_dependence.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace analysis {
namespace {

// Values further from their level, in deviations, count as if they lay so far: single slow sittings would
// hide that the others hang together.
constexpr double clipped_deviations = 3;
// Of confidence intervals for the trend, which is not used here.
constexpr double any_confidence = 0.95;

/// Residuals of one description of the values.
struct Description {
  std::vector<double> residuals;
  double means = 1;       ///< parameters of the level at any time
  double parameters = 1;  ///< all, places of changes too
};

struct Correlated {
  double lag_1 = 0;      ///< as the residuals have it
  double criterion = 0;  ///< Schwarz's
};

Correlated fit(const Description& description) {
  const std::vector<double>& residuals = description.residuals;
  double all = 0, lagged = 0;
  for (size_t i = 0; i < residuals.size(); ++i) {
    all += residuals[i] * residuals[i];
    if (i > 0) lagged += residuals[i] * residuals[i - 1];
  }
  const auto n = static_cast<double>(residuals.size());
  if (all <= 0) return {0, -std::numeric_limits<double>::infinity()};
  const double lag_1 = std::clamp(lagged / all, -0.99, 0.99);
  double innovations = residuals[0] * residuals[0] * (1 - lag_1 * lag_1);
  for (size_t i = 1; i < residuals.size(); ++i) {
    const double innovation = residuals[i] - lag_1 * residuals[i - 1];
    innovations += innovation * innovation;
  }
  return {lag_1, n * std::log(innovations / n) + description.parameters * std::log(n)};
}

Description of_levels(std::span<const double> values, const std::vector<Stretch>& stretches) {
  Description made;
  made.residuals.reserve(values.size());
  for (const Stretch& stretch : stretches) {
    double sum = 0;
    for (const double value : part(values, stretch)) sum += value;
    for (const double value : part(values, stretch))
      made.residuals.push_back(value - sum / static_cast<double>(stretch.count()));
  }
  made.means = static_cast<double>(stretches.size());
  made.parameters = 3 * made.means - 2;  // a place costs as much as two levels (Zhang & Siegmund 2007)
  return made;
}

Description of_line(std::span<const double> values) {
  const Trend trend = fit_trend(values, any_confidence);
  Description made;
  made.residuals.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    made.residuals.push_back(values[i] - trend.level_at_start - trend.per_step * static_cast<double>(i));
  made.means = made.parameters = 2;
  return made;
}

std::vector<double> clipped(std::span<const double> values, const std::vector<Stretch>& stretches) {
  const double most = clipped_deviations * scatter(values, stretches);
  std::vector<double> made(values.begin(), values.end());
  if (most <= 0) return made;
  for (const Stretch& stretch : stretches) {
    for (size_t i = stretch.first; i < stretch.end; ++i)
      made[i] = std::clamp(made[i], stretch.level - most, stretch.level + most);
  }
  return made;
}

}  // namespace

double lag_correlation(std::span<const double> values, const std::vector<Stretch>& stretches) {
  assert(values.size() >= 3);
  const std::vector<double> kept = clipped(values, stretches);
  Description best = of_line(kept);
  Correlated of_best = fit(best);
  for (std::vector<Stretch> levels = stretches;;) {
    Description description = of_levels(kept, levels);
    const Correlated correlated = fit(description);
    if (correlated.criterion < of_best.criterion) {
      best = std::move(description);
      of_best = correlated;
    }
    if (levels.size() == 1) break;
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i + 1 < levels.size(); ++i)
      nearest = std::min(nearest, std::abs(levels[i + 1].level - levels[i].level));
    levels = joined(kept, levels, nearest * (1 + 1e-9) + 1e-12);
  }
  const double share = best.means / static_cast<double>(values.size());
  const double corrected = (of_best.lag_1 + share) / std::max(0.4, 1 - 3 * share);
  return std::clamp(corrected, 0.0, max_lag_correlation);
}

double shift_inflation(const std::vector<size_t>& before, const std::vector<size_t>& after,
                       double correlation) {
  if (correlation <= 0) return 1;
  std::vector<std::pair<size_t, double>> weights;
  weights.reserve(before.size() + after.size());
  for (const size_t point : before) weights.emplace_back(point, -1.0 / static_cast<double>(before.size()));
  for (const size_t point : after) weights.emplace_back(point, 1.0 / static_cast<double>(after.size()));
  std::sort(weights.begin(), weights.end());
  double variance = 0, independent = 0, carried = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto& [point, weight] = weights[i];
    // Sum of all earlier weights, each times its correlation with this point.
    if (i > 0)
      carried = (carried + weights[i - 1].second) *
                std::pow(correlation, static_cast<double>(point - weights[i - 1].first));
    variance += weight * weight + 2 * weight * carried;
    independent += weight * weight;
  }
  return std::max(1.0, variance / independent);
}

double effective_count(size_t count, double correlation) {
  const auto n = static_cast<double>(count);
  double sum = 1, power = 1;
  for (size_t lag = 1; lag < count; ++lag) {
    power *= correlation;
    sum += 2 * (1 - static_cast<double>(lag) / n) * power;
  }
  return std::max(1.0, n / sum);
}

double trend_inflation(size_t count, double correlation) {
  return static_cast<double>(count) / effective_count(count, correlation);
}

Inflation inflation_of(double variance, size_t count, double correlation) {
  if (correlation <= 0) return {};
  // Relative variance of (1 + r) / (1 − r): (2 / (1 − r²))² (1 − r²) / n.
  const double degrees = static_cast<double>(count) * (1 - correlation * correlation) / 2;
  return {std::max(1.0, variance), std::max(2.0, std::floor(degrees))};
}

double critical_value(double p, const Inflation& inflation) {
  return std::isinf(inflation.degrees) ? normal_quantile(p)
                                       : harness::student_t_quantile(p, inflation.degrees);
}

double inflated_p(double p, const Inflation& inflation) {
  if (p >= 1 || std::isinf(inflation.degrees)) return p;
  constexpr double least = 1e-300;
  const double statistic = normal_quantile(std::max(p, least) / 2) / std::sqrt(inflation.variance);
  return std::min(1.0, 2 * harness::student_t_cdf(statistic, inflation.degrees));
}

harness::Interval inflated(const harness::Interval& interval, const Inflation& inflation) {
  constexpr double upper = 0.975;
  const double factor =
      std::sqrt(inflation.variance) * critical_value(upper, inflation) / normal_quantile(upper);
  return {interval.median, interval.median - factor * (interval.median - interval.low),
          interval.median + factor * (interval.high - interval.median)};
}

}  // namespace analysis
