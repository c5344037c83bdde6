#include "harness/jump_cost.hpp"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr size_t least_sizes = 3;  // two make any line
constexpr double confidence = 0.95;

/// ns = at_zero_ns + bytes × ns_per_byte.
struct Line {
  double at_zero_ns = 0, ns_per_byte = 0;
};

/// Minimises Σ ((ns − line) ÷ ns)²: long chunks must not outvote short ones.
Line fit_line(std::span<const int64_t> bytes, const std::vector<double>& ns) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (size_t i = 0; i < ns.size(); ++i) {
    const double x = static_cast<double>(bytes[i]), weight = 1 / (ns[i] * ns[i]);
    w += weight;
    wx += weight * x;
    wy += weight * ns[i];
    wxx += weight * x * x;
    wxy += weight * x * ns[i];
  }
  const double ns_per_byte = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return {(wy - ns_per_byte * wx) / w, ns_per_byte};
}

/// Median of the lines with the t interval around their mean, widened to hold the median.
Interval t_interval(const std::vector<double>& values) {
  const double middle = median(values);
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return {middle, middle, middle};
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_t_quantile((1 + confidence) / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  return {middle, std::min(middle, mean - half), std::max(middle, mean + half)};
}

/// Returns ns per chunk, chunk_ns[j][i] of the j-th sample at the i-th size; as many samples as all have.
Reading<std::vector<std::vector<double>>> chunk_times(std::span<const int64_t> chunk_bytes,
                                                      std::span<const int64_t> work_per_sample,
                                                      std::span<const std::vector<int64_t>> samples_by_size) {
  if (chunk_bytes.size() != work_per_sample.size() || chunk_bytes.size() != samples_by_size.size())
    return Unavailable{"sizes, work and samples do not fit together"};
  if (chunk_bytes.size() < least_sizes) return Unavailable{"a line needs at least three chunk sizes"};
  size_t samples = samples_by_size[0].size();
  for (const auto& of_size : samples_by_size) samples = std::min(samples, of_size.size());
  if (samples == 0) return Unavailable{"a chunk size has no sample"};
  std::vector<std::vector<double>> chunk_ns(samples);
  for (size_t j = 0; j < samples; ++j) {
    for (size_t i = 0; i < chunk_bytes.size(); ++i) {
      if (chunk_bytes[i] <= 0 || work_per_sample[i] <= 0 || samples_by_size[i][j] <= 0)
        return Unavailable{"a size, an amount of work or a duration is not positive"};
      chunk_ns[j].push_back(static_cast<double>(samples_by_size[i][j]) /
                            static_cast<double>(work_per_sample[i]) * static_cast<double>(chunk_bytes[i]));
    }
  }
  return chunk_ns;
}

}  // namespace

Reading<JumpCost> fit_jump_cost(std::span<const int64_t> chunk_bytes,
                                std::span<const int64_t> work_per_sample,
                                std::span<const std::vector<int64_t>> samples_by_size) {
  const auto times = chunk_times(chunk_bytes, work_per_sample, samples_by_size);
  if (const auto* why = std::get_if<Unavailable>(&times)) return *why;
  const auto& chunk_ns = std::get<std::vector<std::vector<double>>>(times);
  std::vector<double> jumps_ns, rates;
  for (const std::vector<double>& ns : chunk_ns) {
    const Line line = fit_line(chunk_bytes, ns);
    // Written so that a NaN (all sizes equal) is refused, too.
    if (!(line.ns_per_byte > 0)) return Unavailable{"the time per chunk does not grow with its size"};
    jumps_ns.push_back(line.at_zero_ns);
    rates.push_back(1e9 / line.ns_per_byte);
  }
  JumpCost cost{t_interval(jumps_ns), log_t_interval(rates, confidence), 0};
  for (size_t i = 0; i < chunk_bytes.size(); ++i) {
    std::vector<double> of_size;
    of_size.reserve(chunk_ns.size());
    for (const std::vector<double>& ns : chunk_ns) of_size.push_back(ns[i]);
    const double fitted =
        cost.jump_ns.median + static_cast<double>(chunk_bytes[i]) / cost.read_bytes_per_s.median * 1e9;
    const double measured = median(of_size);
    cost.misfit_ratio = std::max(cost.misfit_ratio, std::abs(measured - fitted) / measured);
  }
  return cost;
}

}  // namespace harness
