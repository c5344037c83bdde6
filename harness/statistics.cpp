#include "harness/statistics.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace harness {
namespace {

// Continued fraction of the incomplete beta function, DLMF 8.17.22, evaluated by the modified Lentz method
// (Thompson & Barnett 1986). Converges fast for x < (a + 1) / (a + b + 2).
double beta_continued_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1) < 1e-16) break;
  }
  return fraction;
}

// Regularised incomplete beta function I_x(a, b), DLMF 8.17.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log_front) * beta_continued_fraction(a, b, x) / a;
  return 1 - std::exp(log_front) * beta_continued_fraction(b, a, 1 - x) / b;
}

// P(T > t) for t ≥ 0: half of I_{v/(v+t²)}(v/2, 1/2) (Abramowitz & Stegun 26.7.1).
double student_t_upper_tail(double t, double degrees) {
  return 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/// Returns x with I_x(a, b) = p: the p-quantile of the beta distribution.
double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_beta(a, b, middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// P(B ≤ k) for B ~ Binomial(n, 1/2).
double fair_binomial_cdf(int k, int n) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) {
    sum +=
        std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) - n * std::log(2.0));
  }
  return sum;
}

}  // namespace

double quantile(std::span<const double> values, double p) {
  assert(!values.empty() && p >= 0 && p <= 1);
  // A document asks for thousands of few values each: those stand on the stack, in order.
  constexpr size_t few = 16;
  std::array<double, few> in_order{};
  std::vector<double> partly;
  const bool are_few = values.size() <= few;
  if (are_few)
    std::copy(values.begin(), values.end(), in_order.begin());
  else
    partly.assign(values.begin(), values.end());
  const std::span<double> sorted(are_few ? in_order.data() : partly.data(), values.size());
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  if (are_few) {
    std::sort(sorted.begin(), sorted.end());
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  }
  // Only two places must be as if all were sorted.
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), at, sorted.end());
  if (above != below) std::iter_swap(at + 1, std::min_element(at + 1, sorted.end()));
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double student_t_cdf(double t, double degrees) {
  assert(degrees > 0);
  const double tail = student_t_upper_tail(std::abs(t), degrees);
  return t > 0 ? 1 - tail : tail;
}

namespace {

double find_student_t_quantile(double p, double degrees) {
  const double tail = std::min(p, 1 - p);
  double low = 0;
  double high = 1;
  while (student_t_upper_tail(high, degrees) > tail && high < 1e300) {
    low = high;
    high *= 2;
  }
  while (true) {  // bisection: halves the bracket until it holds no other double
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (student_t_upper_tail(middle, degrees) > tail ? low : high) = middle;
  }
  return p > 0.5 ? high : -high;
}

}  // namespace

double student_t_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  if (p == 0.5) return 0;
  // A document asks some hundred times for the quantiles of a few degrees, and searching took most of the
  // time of checking one.
  constexpr size_t most_remembered = 256;
  thread_local std::map<std::pair<double, double>, double> remembered;
  const auto found = remembered.find({p, degrees});
  if (found != remembered.end()) return found->second;
  if (remembered.size() == most_remembered) remembered.clear();
  return remembered[{p, degrees}] = find_student_t_quantile(p, degrees);
}

Interval log_t_interval(std::span<const double> values, double confidence) {
  assert(!values.empty() && confidence > 0 && confidence < 1);
  const double centre = median(values);
  const auto count = static_cast<double>(values.size());
  if (values.size() < 2) return {centre, centre, centre};
  double sum = 0;
  for (double value : values) {
    assert(value > 0);
    sum += std::log(value);
  }
  const double mean = sum / count;
  double squares = 0;
  for (double value : values) squares += (std::log(value) - mean) * (std::log(value) - mean);
  const double half_width =
      student_t_quantile(0.5 + confidence / 2, count - 1) * std::sqrt(squares / (count - 1) / count);
  return {centre, std::min(std::exp(mean - half_width), centre),
          std::max(std::exp(mean + half_width), centre)};
}

Interval sign_interval(std::span<const double> values, double confidence) {
  assert(!values.empty() && confidence > 0 && confidence < 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<int>(sorted.size());
  // The interval [x_(k), x_(n+1-k)] misses the median with probability 2·P(B ≤ k-1); take the largest k that
  // may.
  int k = 1;
  while (2 * (k + 1) <= count + 1 && 2 * fair_binomial_cdf(k, count) <= 1 - confidence) ++k;
  return {median(values), sorted[static_cast<size_t>(k - 1)], sorted[static_cast<size_t>(count - k)]};
}

Interval binomial_interval(int64_t successes, int64_t trials, double confidence) {
  assert(successes >= 0 && successes <= trials && confidence > 0 && confidence < 1);
  if (trials == 0) return {0, 0, 1};
  const auto k = static_cast<double>(successes), n = static_cast<double>(trials);
  const double tail = (1 - confidence) / 2;
  return {k / n, successes == 0 ? 0 : beta_quantile(tail, k, n - k + 1),
          successes == trials ? 1 : beta_quantile(1 - tail, k + 1, n - k)};
}

}  // namespace harness
