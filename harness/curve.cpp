#include "harness/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace harness {

Interval next_value_interval(std::span<const double> values, double confidence) {
  const double middle = median(values);
  const size_t n = values.size();
  if (n < 2) return {middle, middle, middle};
  double sum = 0;
  for (double value : values) {
    assert(value > 0);
    sum += std::log(value);
  }
  const double count = static_cast<double>(n), mean = sum / count;
  double squares = 0;
  for (double value : values) squares += (std::log(value) - mean) * (std::log(value) - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const double reach =
      student_t_quantile(0.5 + confidence / 2, count - 1) * deviation * std::sqrt(1 + 1 / count);
  return {middle, std::min(middle, std::exp(mean - reach)), std::max(middle, std::exp(mean + reach))};
}

namespace {

Interval spread_of(std::span<const double> values, Spread spread) {
  return spread == Spread::of_median_95 ? log_t_interval(values, 0.95) : next_value_interval(values, 0.90);
}

/// Returns the values of one size, or why they are none.
Reading<std::vector<double>> size_values(int64_t size, int64_t work, const std::vector<int64_t>& samples,
                                         Quantity quantity) {
  if (size <= 0 || work <= 0) return Unavailable{fmt::format("size {} with work {}", size, work)};
  if (samples.empty()) return Unavailable{fmt::format("no sample at {} bytes", size)};
  std::vector<double> values;
  values.reserve(samples.size());
  for (int64_t ns : samples) {
    if (ns <= 0) return Unavailable{fmt::format("a sample of {} ns at {} bytes", ns, size)};
    const double duration = static_cast<double>(ns), units = static_cast<double>(work);
    values.push_back(quantity == Quantity::per_second ? units / duration * 1e9 : duration / units);
  }
  return values;
}

}  // namespace

Reading<SampledCurve> sampled_curve(std::span<const int64_t> sizes_bytes,
                                    std::span<const int64_t> work_per_sample,
                                    std::span<const std::vector<int64_t>> samples_by_size,
                                    Quantity quantity) {
  const size_t n = sizes_bytes.size();
  if (n == 0) return Unavailable{"the curve has no sizes"};
  if (work_per_sample.size() != n || samples_by_size.size() != n) {
    return Unavailable{fmt::format("{} sizes with {} amounts of work and {} lists of samples", n,
                                   work_per_sample.size(), samples_by_size.size())};
  }
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes_bytes[a] < sizes_bytes[b]; });
  SampledCurve curve;
  for (size_t i : order) {
    if (!curve.sizes_bytes.empty() && curve.sizes_bytes.back() == sizes_bytes[i]) {
      return Unavailable{fmt::format("{} bytes stand twice", sizes_bytes[i])};
    }
    auto values = size_values(sizes_bytes[i], work_per_sample[i], samples_by_size[i], quantity);
    if (auto* why = std::get_if<Unavailable>(&values)) return *why;
    curve.sizes_bytes.push_back(sizes_bytes[i]);
    curve.values_by_size.push_back(std::move(std::get<std::vector<double>>(values)));
  }
  return curve;
}

Reading<Curve> make_curve(std::span<const int64_t> sizes_bytes, std::span<const int64_t> work_per_sample,
                          std::span<const std::vector<int64_t>> samples_by_size, Quantity quantity,
                          Spread spread) {
  const auto reading = sampled_curve(sizes_bytes, work_per_sample, samples_by_size, quantity);
  if (const auto* why = std::get_if<Unavailable>(&reading)) return *why;
  const auto& sampled = std::get<SampledCurve>(reading);
  Curve curve;
  curve.sizes_bytes = sampled.sizes_bytes;
  for (const std::vector<double>& values : sampled.values_by_size) {
    const Interval interval = spread_of(values, spread);
    curve.values.push_back(interval.median);
    curve.low.push_back(interval.low);
    curve.high.push_back(interval.high);
  }
  return curve;
}

CurvePoint read_at(const Curve& curve, double size_bytes) {
  assert(!curve.sizes_bytes.empty() && size_bytes > 0);
  const auto& sizes = curve.sizes_bytes;
  const auto end_point = [&](size_t i) { return Interval{curve.values[i], curve.low[i], curve.high[i]}; };
  const size_t last = sizes.size() - 1;
  const double first_size = static_cast<double>(sizes.front()), last_size = static_cast<double>(sizes.back());
  if (size_bytes <= first_size) return {end_point(0), size_bytes < first_size};
  if (size_bytes >= last_size) return {end_point(last), size_bytes > last_size};
  size_t right = 1;
  while (static_cast<double>(sizes[right]) < size_bytes) ++right;
  const double left_log = std::log(static_cast<double>(sizes[right - 1]));
  const double share =
      (std::log(size_bytes) - left_log) / (std::log(static_cast<double>(sizes[right])) - left_log);
  const auto between = [&](const std::vector<double>& at) {
    return std::exp((1 - share) * std::log(at[right - 1]) + share * std::log(at[right]));
  };
  return {{between(curve.values), between(curve.low), between(curve.high)}, false};
}

Curve monotone_fit(const Curve& curve, Direction direction) {
  struct Pool {
    double log_sum = 0;
    size_t count = 0;
    [[nodiscard]] double mean() const { return log_sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  const auto violates = [&](const Pool& left, const Pool& right) {
    return direction == Direction::falling ? left.mean() < right.mean() : left.mean() > right.mean();
  };
  for (double value : curve.values) {
    pools.push_back({std::log(value), 1});
    while (pools.size() > 1 && violates(pools[pools.size() - 2], pools.back())) {
      const Pool right = pools.back();
      pools.pop_back();
      pools.back().log_sum += right.log_sum;
      pools.back().count += right.count;
    }
  }
  Curve fit = curve;
  size_t i = 0;
  for (const Pool& pool : pools) {
    for (size_t j = 0; j < pool.count; ++j, ++i) {
      // A pool of one keeps its value to the bit.
      const double factor = pool.count == 1 ? 1.0 : std::exp(pool.mean()) / curve.values[i];
      fit.values[i] = pool.count == 1 ? curve.values[i] : std::exp(pool.mean());
      fit.low[i] = curve.low[i] * factor;
      fit.high[i] = curve.high[i] * factor;
    }
  }
  return fit;
}

}  // namespace harness
