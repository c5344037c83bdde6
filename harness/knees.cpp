#include "harness/knees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/curve_steps.hpp"

namespace harness {
namespace {

constexpr size_t fewest_sizes = 8;        // two levels and a step between them
constexpr size_t fewest_samples = 3;      // of one size: with fewer none outvotes another
constexpr size_t most_samples = 200'000;  // of a curve: what resampling may cost whoever receives it
constexpr int resampled_curves = 200;
constexpr double confirmed_ratio = 0.9;
constexpr uint64_t resampling_seed = 20'261'130;

/// Returns what stands for a size: the value that a quarter of its samples beat. What disturbs a sample slows
/// it, so that this depends less on the neighbours than the median does.
double usual_value(std::span<const double> samples, Quantity quantity) {
  return quantile(samples, quantity == Quantity::per_second ? 0.75 : 0.25);
}

std::vector<double> usual_values(const SampledCurve& curve, Quantity quantity) {
  std::vector<double> values;
  values.reserve(curve.values_by_size.size());
  for (const auto& samples : curve.values_by_size) values.push_back(usual_value(samples, quantity));
  return values;
}

Slowness fit_slowness(const SampledCurve& curve, const std::vector<double>& values, Quantity quantity) {
  const bool rates = quantity == Quantity::per_second;
  const Curve raw{curve.sizes_bytes, values, values, values};
  const Curve fit = monotone_fit(raw, rates ? Direction::falling : Direction::rising);
  Slowness made;
  made.sizes_bytes = curve.sizes_bytes;
  for (size_t i = 0; i < fit.values.size(); ++i) {
    made.octaves.push_back(std::log2(static_cast<double>(fit.sizes_bytes[i])));
    made.logs.push_back(rates ? -std::log(fit.values[i]) : std::log(fit.values[i]));
  }
  return made;
}

/// Draws each size's samples anew, with replacement.
std::vector<double> resampled_values(const SampledCurve& curve, Quantity quantity, SplitMix64& random) {
  std::vector<double> values, drawn;
  for (const auto& samples : curve.values_by_size) {
    drawn.clear();
    for (size_t i = 0; i < samples.size(); ++i) drawn.push_back(samples[random.below(samples.size())]);
    values.push_back(usual_value(drawn, quantity));
  }
  return values;
}

/// Returns how far values scatter, on logs: the larger of what resampling says for a usual size, and of what
/// lies between neighbouring sizes and the fit.
double scatter(const std::vector<double>& values, const Slowness& fit,
               const std::vector<std::vector<double>>& resampled, Quantity quantity) {
  const double sign = quantity == Quantity::per_second ? -1 : 1;
  constexpr double deviations = 1.4826;  // σ ÷ median absolute deviation of a normal distribution
  std::vector<double> by_size, residuals;
  for (size_t i = 0; i < values.size(); ++i) {
    const double log_value = std::log(values[i]);
    std::vector<double>
        moves;  // their median, since a few samples of a busy machine last three times as long
    moves.reserve(resampled.size());
    for (const auto& draw : resampled) moves.push_back(std::abs(std::log(draw[i]) - log_value));
    by_size.push_back(median(moves));
    residuals.push_back(std::abs(sign * log_value - fit.logs[i]));
  }
  return deviations * std::max(median(by_size), median(residuals));
}

/// Returns the step of a resampled curve that is the same edge, if one is: the nearest that overlaps it.
const Step* same_step(const std::vector<Step>& steps, const Step& wanted) {
  const Step* best = nullptr;
  const auto distance = [&](const Step& step) {
    return std::abs(std::log(step.edge_bytes / wanted.edge_bytes));
  };
  for (const Step& step : steps) {
    if (step.high_bytes < wanted.low_bytes || step.low_bytes > wanted.high_bytes) continue;
    if (!best || distance(step) < distance(*best)) best = &step;
  }
  return best;
}

std::optional<Knee> confirmed(const Step& step, const std::vector<std::vector<Step>>& resampled) {
  std::vector<double> lows, highs;
  for (const auto& steps : resampled) {
    if (const Step* same = same_step(steps, step)) {
      lows.push_back(same->low_bytes);
      highs.push_back(same->high_bytes);
    }
  }
  const double found = static_cast<double>(lows.size()) / static_cast<double>(resampled.size());
  if (found < confirmed_ratio) return std::nullopt;
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  const size_t tail = lows.size() / 40;  // 2.5 % on either side; sizes that were measured, not between them
  Knee knee;
  knee.edge_bytes = {step.edge_bytes, std::min(step.low_bytes, lows[tail]),
                     std::max(step.high_bytes, highs[highs.size() - 1 - tail])};
  knee.slowdown_ratio = std::exp(step.logs);
  knee.found_ratio = found;
  return knee;
}

double squares_between(const std::vector<double>& values, const std::vector<double>& fit) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += std::pow(std::log(values[i] / fit[i]), 2);
  return sum;
}

/// Says why a curve has no edge.
Unavailable no_edge(const SampledCurve& curve, const std::vector<double>& values, double noise,
                    Quantity quantity) {
  const Curve raw{curve.sizes_bytes, values, values, values};
  const bool rates = quantity == Quantity::per_second;
  const auto right = monotone_fit(raw, rates ? Direction::falling : Direction::rising).values;
  const auto wrong = monotone_fit(raw, rates ? Direction::rising : Direction::falling).values;
  const auto steps = [](const auto& fit) { return std::abs(std::log(fit.back() / fit.front())); };
  // Noise is explained about as well either way; a curve of the wrong direction far better by its own.
  if (steps(wrong) > step_logs && 4 * squares_between(values, wrong) < squares_between(values, right))
    return {"the curve becomes faster with size"};
  if (5 * noise > step_logs) return {"noise is as large as the steps of the curve"};
  if (steps(right) < step_logs) return {"the curve is flat"};
  return {"the curve has no step between two levels"};
}

std::optional<Unavailable> too_little(const SampledCurve& curve) {
  if (curve.sizes_bytes.size() < fewest_sizes) {
    return Unavailable{
        fmt::format("{} sizes are too few: {} at least", curve.sizes_bytes.size(), fewest_sizes)};
  }
  size_t all = 0;
  for (const auto& samples : curve.values_by_size) {
    if (samples.size() < fewest_samples) {
      return Unavailable{
          fmt::format("{} samples of a size are too few: {} at least", samples.size(), fewest_samples)};
    }
    all += samples.size();
  }
  if (all > most_samples) return Unavailable{fmt::format("more than {} samples", most_samples)};
  return std::nullopt;
}

}  // namespace

Reading<std::vector<Knee>> find_knees(const SampledCurve& curve, Quantity quantity) {
  if (const auto why = too_little(curve)) return *why;
  const auto values = usual_values(curve, quantity);
  const Slowness fit = fit_slowness(curve, values, quantity);
  SplitMix64 random(resampling_seed);
  std::vector<std::vector<double>> draws;
  draws.reserve(resampled_curves);
  for (int i = 0; i < resampled_curves; ++i) draws.push_back(resampled_values(curve, quantity, random));
  const double noise = scatter(values, fit, draws, quantity);
  const auto steps = find_steps(fit, noise);
  if (steps.empty()) return no_edge(curve, values, noise, quantity);
  std::vector<std::vector<Step>> resampled;
  resampled.reserve(draws.size());
  for (const auto& draw : draws) resampled.push_back(find_steps(fit_slowness(curve, draw, quantity), noise));
  std::vector<Knee> knees;
  for (const Step& step : steps) {
    if (const auto knee = confirmed(step, resampled)) knees.push_back(*knee);
  }
  if (knees.empty())
    return Unavailable{"no step of the curve is found again when its samples are drawn anew"};
  return knees;
}

}  // namespace harness
