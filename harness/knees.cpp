#include "harness/knees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace harness {
namespace {

constexpr size_t fewest_sizes = 8;        // two levels and a step between them
constexpr size_t fewest_samples = 3;      // of one size: with fewer none outvotes another
constexpr size_t most_samples = 200'000;  // of a curve: what resampling may cost whoever receives it
constexpr double fewest_octaves = 0.9;    // that make a level: one, less what rounding of sizes takes
constexpr size_t fewest_level_sizes = 3;
constexpr double level_logs = 0.14;  // ln 1.15
constexpr double step_logs = 0.223;  // ln 1.25
constexpr double trim_logs = 0.05;   // 5 %: what "runs at the level\'s rate" means at least
constexpr double end_share = 0.25;   // of a step: how much the curve's last octave may change behind it
constexpr double end_logs = 0.28;    // ln 1.32, and in all
constexpr int resampled_curves = 200;
constexpr double confirmed_ratio = 0.9;
constexpr uint64_t resampling_seed = 20'261'130;

/// A curve as logarithms: sizes to base 2 (octaves), fitted ns per unit of work natural, never falling.
struct Slowness {
  std::vector<int64_t> sizes_bytes;
  std::vector<double> octaves, logs;
};

struct Level {
  size_t first = 0, last = 0;  ///< inclusive
};

/// An edge of one curve, before resampling.
struct Step {
  double low_bytes = 0, edge_bytes = 0, high_bytes = 0, logs = 0;
};

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

/// Finds the longest run in [first, last] whose values stay within `limit`; none shorter than a level.
std::optional<Level> longest_level(const Slowness& curve, size_t first, size_t last, double limit) {
  std::optional<Level> best;
  double best_octaves = 0;
  for (size_t from = first, to = first; from <= last; ++from) {
    to = std::max(to, from);
    while (to < last && curve.logs[to + 1] - curve.logs[from] <= limit) ++to;
    const double octaves = curve.octaves[to] - curve.octaves[from];
    if (to - from + 1 < fewest_level_sizes || octaves < fewest_octaves || octaves <= best_octaves) continue;
    best = Level{from, to};
    best_octaves = octaves;
  }
  return best;
}

/// Splits a curve into levels: the longest first, then those on either side of it.
void collect_levels(const Slowness& curve, size_t first, size_t last, double limit,
                    std::vector<Level>& levels) {
  const auto level = longest_level(curve, first, last, limit);
  if (!level) return;
  if (level->first > first) collect_levels(curve, first, level->first - 1, limit, levels);
  levels.push_back(*level);
  if (level->last < last) collect_levels(curve, level->last + 1, last, limit, levels);
}

/// Moves the ends of levels to where the curve bends: on, while an octave changes less than `limit`. The
/// longest run of a level that creeps need not be the one that begins or ends at its edge.
void extend_levels(const Slowness& curve, double limit, std::vector<Level>& levels) {
  const auto gentle = [&](size_t left) {
    return curve.logs[left + 1] - curve.logs[left] <= limit * (curve.octaves[left + 1] - curve.octaves[left]);
  };
  for (size_t i = 0; i < levels.size(); ++i) {
    const size_t least = i == 0 ? 0 : levels[i - 1].last + 1;
    const size_t most = i + 1 == levels.size() ? curve.logs.size() - 1 : levels[i + 1].first - 1;
    while (levels[i].first > least && gentle(levels[i].first - 1)) --levels[i].first;
    while (levels[i].last < most && gentle(levels[i].last)) ++levels[i].last;
  }
}

/// Returns the median of the values within an octave of size `at`, between sizes `first` and `last`.
double value_near(const Slowness& curve, size_t at, size_t first, size_t last) {
  std::vector<double> near;
  for (size_t i = first; i <= last; ++i) {
    if (std::abs(curve.octaves[i] - curve.octaves[at]) <= 1.01) near.push_back(curve.logs[i]);
  }
  return median(near);
}

/// Describes the edge between two neighbouring levels.
Step step_between(const Slowness& curve, const Level& before, const Level& behind, double noise) {
  const double trim = std::max(trim_logs, 2 * noise);
  const double fast = value_near(curve, before.last, before.first, before.last);
  const double slow = value_near(curve, behind.first, behind.first, behind.last);
  size_t low = before.last, high = behind.first;
  while (low > before.first && curve.logs[low] - fast > trim) --low;
  while (high < behind.last && slow - curve.logs[high] > trim) ++high;
  const double half = (fast + slow) / 2;
  size_t right = low + 1;
  while (right < high && curve.logs[right] < half) ++right;
  const double rise = curve.logs[right] - curve.logs[right - 1];
  // Between two neighbouring sizes nothing is known: the middle, whatever the two values are.
  double share = 0.5;
  if (right - low > 1 && right < high && rise > 0) {
    share = std::clamp((half - curve.logs[right - 1]) / rise, 0.0, 1.0);
  }
  const double edge = curve.octaves[right - 1] + share * (curve.octaves[right] - curve.octaves[right - 1]);
  return {static_cast<double>(curve.sizes_bytes[low]), std::exp2(edge),
          static_cast<double>(curve.sizes_bytes[high]), slow - fast};
}

/// Returns the last octave of the curve when it lies behind `before` and changes little against the step to
/// it. Memory behind a large shared cache is reached slowly, and the curve ends there.
std::optional<Level> end_level(const Slowness& curve, const Level& before, double least_step) {
  const size_t last = curve.logs.size() - 1;
  size_t first = last;
  while (first > before.last + 1 && curve.octaves[last] - curve.octaves[first] < fewest_octaves) --first;
  const double step = curve.logs[first] - curve.logs[before.last];
  const bool is_level = last - first + 1 >= fewest_level_sizes &&
                        curve.octaves[last] - curve.octaves[first] >= fewest_octaves && step >= least_step &&
                        curve.logs[last] - curve.logs[first] <= std::min(end_logs, end_share * step);
  return is_level ? std::optional<Level>({first, last}) : std::nullopt;
}

std::vector<Step> find_steps(const Slowness& curve, double noise) {
  std::vector<Level> levels;
  const double limit = std::max(level_logs, 3 * noise);
  collect_levels(curve, 0, curve.logs.size() - 1, limit, levels);
  extend_levels(curve, limit, levels);
  const double least = std::max(step_logs, 5 * noise);
  std::vector<Level> joined;
  for (const Level& level : levels) {
    // What creeps rather than steps is one level.
    if (!joined.empty() && curve.logs[level.first] - curve.logs[joined.back().last] < least) {
      joined.back().last = level.last;
    } else {
      joined.push_back(level);
    }
  }
  if (!joined.empty()) {
    if (const auto end = end_level(curve, joined.back(), least)) joined.push_back(*end);
  }
  std::vector<Step> steps;
  for (size_t i = 1; i < joined.size(); ++i)
    steps.push_back(step_between(curve, joined[i - 1], joined[i], noise));
  return steps;
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
