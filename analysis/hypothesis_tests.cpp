#include "analysis/hypothesis_tests.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

/// P(T > t), with T at infinity when the statistic has no error.
double upper_p(double distance, double standard_error, double degrees) {
  if (distance == infinity) return 0;
  if (standard_error == 0) return distance > 0 ? 0 : 1;
  return harness::student_t_cdf(-distance / standard_error, degrees);
}

/// log of an end of a region: −∞ for 0.
double log_end(double end) {
  return end <= 0 ? -infinity : std::log(end);
}

/// The chi density of s, where s² ~ χ²(degrees) / degrees.
double scatter_density(double s, double degrees) {
  if (s <= 0) return 0;
  const double half = degrees / 2;
  return std::exp(std::log(2.0) + half * std::log(half) - std::lgamma(half) + (degrees - 1) * std::log(s) -
                  half * s * s);
}

/// Integrates f(s)·density(s) over all s that matter, by Simpson's rule.
template <class F>
double over_scatter(double degrees, const F& f) {
  constexpr int steps = 2000;
  // Beyond it less than 1e-15 of the mass lies, for one degree of freedom as for many.
  const double end = 1 + 9 / std::sqrt(degrees);
  const double step = end / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double s = i * step;
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    // Of one degree of freedom the density does not vanish at 0.
    const double density = i == 0 && degrees == 1 ? std::sqrt(2 / M_PI) : scatter_density(s, degrees);
    if (density > 0) sum += weight * density * f(s);
  }
  return sum * step / 3;
}

/// Distances of the true value from both ends of a region, in standard errors.
struct Ends {
  double low = 0, high = 0;
};
Ends ends_in_errors(const Plan& plan, const Region& region) {
  const double error = plan.log_sd / std::sqrt(plan.launches), mean = std::log(plan.true_value);
  return {(log_end(region.low) - mean) / error, (log_end(region.high) - mean) / error};
}

double critical_t(const Plan& plan) {
  return harness::student_t_quantile(1 - plan.alpha / 2, plan.launches - 1);
}

/// Ranks of all values, ties sharing their mean rank, doubled so that they are whole.
std::vector<int> doubled_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<int> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<int>(i + 1 + end);  // 2 × mean rank
    i = end;
  }
  return ranks;
}

/// The rank sum test by its normal approximation: of doubled ranks, of which the first `chosen` are one
/// sample.
double approximate_rank_sum_p(const std::vector<int>& doubled, size_t chosen) {
  const auto n = static_cast<double>(doubled.size()), k = static_cast<double>(chosen);
  const double mean_rank = (n + 1) / 2;
  double sum = 0, squares = 0;  // of the ranks' distances from their mean, which ties bring nearer
  for (size_t i = 0; i < doubled.size(); ++i) {
    const double distance = doubled[i] / 2.0 - mean_rank;
    if (i < chosen) sum += distance;
    squares += distance * distance;
  }
  const double variance = k * (n - k) / (n * (n - 1)) * squares;
  if (variance <= 0) return 1;
  const double z = std::max(0.0, std::abs(sum) - 0.5) / std::sqrt(variance);
  return std::min(1.0, 2 * normal_cdf(-z));
}

}  // namespace

LogMoments log_moments(std::span<const double> values) {
  LogMoments moments;
  moments.count = static_cast<int>(values.size());
  if (values.empty()) return moments;
  for (const double value : values) {
    assert(value > 0);
    moments.mean += std::log(value) / moments.count;
  }
  if (values.size() < 2) return moments;
  double squares = 0;
  for (const double value : values) squares += std::pow(std::log(value) - moments.mean, 2);
  moments.sd = std::sqrt(squares / (moments.count - 1));
  return moments;
}

double tost_p(std::span<const double> values, const Region& region) {
  const LogMoments m = log_moments(values);
  if (m.count < 2) return 1;
  const double error = m.sd / std::sqrt(m.count);
  return std::max(upper_p(m.mean - log_end(region.low), error, m.count - 1),
                  upper_p(log_end(region.high) - m.mean, error, m.count - 1));
}

double t_outside_p(std::span<const double> values, const Region& region) {
  const LogMoments m = log_moments(values);
  if (m.count < 2) return 1;
  const double beyond = std::max(log_end(region.low) - m.mean, m.mean - log_end(region.high));
  if (beyond <= 0) return 1;
  return std::min(1.0, 2 * upper_p(beyond, m.sd / std::sqrt(m.count), m.count - 1));
}

double sign_outside_p(std::span<const double> values, const Region& region) {
  if (values.empty()) return 1;
  const auto n = static_cast<int>(values.size());
  const auto not_below =
      std::count_if(values.begin(), values.end(), [&](double v) { return v >= region.low; });
  const auto not_above =
      std::count_if(values.begin(), values.end(), [&](double v) { return v <= region.high; });
  const auto fewest = static_cast<int>(std::min(not_below, not_above));
  double tail = 0;
  for (int i = 0; i <= fewest; ++i) {
    tail +=
        std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> false_discovery_adjusted(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  const auto all = static_cast<double>(order.size());
  double smallest = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    smallest = std::min(smallest, all / static_cast<double>(order.size() - i) * p_values[order[i]]);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  assert(!a.empty() && !b.empty());
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<int> ranks = doubled_ranks(all);
  if (all.size() > max_exact_mann_whitney_values) return approximate_rank_sum_p(ranks, a.size());
  const auto observed = std::accumulate(ranks.begin(), ranks.begin() + static_cast<long>(a.size()), 0);
  const auto total = static_cast<size_t>(std::accumulate(ranks.begin(), ranks.end(), 0));
  // ways[k][s]: how many choices of k values have the doubled rank sum s.
  std::vector<std::vector<double>> ways(a.size() + 1, std::vector<double>(total + 1, 0));
  ways[0][0] = 1;
  for (const int rank : ranks) {
    for (size_t k = a.size(); k > 0; --k) {
      for (size_t s = total; s >= static_cast<size_t>(rank); --s)
        ways[k][s] += ways[k - 1][s - static_cast<size_t>(rank)];
    }
  }
  const double mean =
      static_cast<double>(total) * static_cast<double>(a.size()) / static_cast<double>(all.size());
  const double distance = std::abs(observed - mean);
  double as_far = 0, every = 0;
  for (size_t s = 0; s <= total; ++s) {
    every += ways[a.size()][s];
    if (std::abs(static_cast<double>(s) - mean) >= distance - 1e-9) as_far += ways[a.size()][s];
  }
  return as_far / every;
}

harness::Interval bootstrap_interval(std::span<const double> values, double confidence, int resamples,
                                     uint64_t seed) {
  assert(!values.empty() && resamples > 0);
  harness::SplitMix64 generator(seed);
  std::vector<double> medians, drawn(values.size());
  medians.reserve(static_cast<size_t>(resamples));
  for (int i = 0; i < resamples; ++i) {
    for (double& value : drawn) value = values[generator.below(values.size())];
    medians.push_back(harness::median(drawn));
  }
  const double tail = (1 - confidence) / 2;
  return {harness::median(values), harness::quantile(medians, tail), harness::quantile(medians, 1 - tail)};
}

double probability_between(double low, double high, double t, double degrees) {
  return over_scatter(
      degrees, [&](double s) { return std::max(0.0, normal_cdf(high - t * s) - normal_cdf(low + t * s)); });
}

double power_inside(const Plan& plan, const Region& region) {
  if (plan.log_sd == 0) return region.holds(plan.true_value) ? 1 : 0;
  if (plan.launches < 2) return 0;
  const auto [low, high] = ends_in_errors(plan, region);
  return probability_between(low, high, critical_t(plan), plan.launches - 1);
}

double power_outside(const Plan& plan, const Region& region) {
  if (plan.log_sd == 0) return region.holds(plan.true_value) ? 0 : 1;
  if (plan.launches < 2) return 0;
  const auto [low, high] = ends_in_errors(plan, region);
  const double t = critical_t(plan);
  return over_scatter(plan.launches - 1, [&, low = low, high = high](double s) {
    return normal_cdf(low - t * s) + normal_cdf(-(high + t * s));
  });
}

int launches_needed(const LogMoments& moments, const Region& region, double alpha, int most) {
  const double distance =
      std::min(std::abs(moments.mean - log_end(region.low)), std::abs(log_end(region.high) - moments.mean));
  const auto clears = [&](int launches) {
    const double t = harness::student_t_quantile(1 - alpha / 2, launches - 1);
    return t * moments.sd / std::sqrt(launches) < distance;
  };
  if (!clears(most)) return most + 1;
  int too_few = 1, enough = most;  // half the interval shrinks with every launch
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (clears(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace analysis
