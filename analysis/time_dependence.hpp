// Sittings that hang together in time: how much, and what that makes of tests that take them for
// exchangeable. The model is an autoregression of order 1 (AR(1)) about the levels. Pure functions.
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "analysis/level_stretches.hpp"
#include "harness/statistics.hpp"

namespace analysis {

/// No more than this is taken for the lag-1 correlation: beyond it nothing could ever be told.
inline constexpr double max_lag_correlation = 0.95;

/// Estimates the lag-1 correlation of values about their levels, at least 0: of all ways to join `stretches`
/// step by step (the nearest first), down to a single level, and of a line, that which Schwarz's criterion
/// prefers, so that neither a true step is taken for correlation nor correlation for many steps. Corrected
/// for the bias of fitted levels (Marriott & Pope 1954). Asserts that there are at least three values.
double lag_correlation(std::span<const double> values, const std::vector<Stretch>& stretches);

/// Returns by what factor the variance of mean(after) − mean(before) is larger under AR(1) than for
/// independent values. The points are indices, ascending.
double shift_inflation(const std::vector<size_t>& before, const std::vector<size_t>& after,
                       double correlation);

/// Returns the same for a slope over `count` values: count ÷ their effective number (Bayley & Hammersley
/// 1946).
double trend_inflation(size_t count, double correlation);

/// Returns how many independent values `count` correlated ones are worth, at least 1.
double effective_count(size_t count, double correlation);

/// What correlation makes of a test that takes values for independent: its statistic varies more, by a factor
/// that is itself estimated.
struct Inflation {
  double variance = 1;  ///< factor, at least 1
  /// Degrees of freedom that the estimate of the factor is worth (Satterthwaite 1946, by the variance of the
  /// lag-1 correlation, Bartlett 1946); infinite without correlation.
  double degrees = std::numeric_limits<double>::infinity();
};

/// Returns it for a factor that comes from `count` values with this correlation.
Inflation inflation_of(double variance, size_t count, double correlation);

/// Returns Student's t quantile with these degrees of freedom, that of the normal distribution for infinite.
double critical_value(double p, const Inflation& inflation);

/// Returns a two-sided p-value, made for independent values, as the inflated statistic has it.
double inflated_p(double p, const Inflation& inflation);

/// Returns an interval of confidence 0.95 whose ends lie further from its median.
harness::Interval inflated(const harness::Interval& interval, const Inflation& inflation);

}  // namespace analysis
