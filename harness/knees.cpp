#include "harness/knees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
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

/// What stands for a size is the value that a quarter of its samples beat. What disturbs a sample slows it,
/// so that this depends less on the neighbours than the median does.
double usual_share(Quantity quantity) {
  return quantity == Quantity::per_second ? 0.75 : 0.25;
}

std::vector<double> usual_values(const SampledCurve& curve, Quantity quantity) {
  std::vector<double> values;
  values.reserve(curve.values_by_size.size());
  for (const auto& samples : curve.values_by_size) values.push_back(quantile(samples, usual_share(quantity)));
  return values;
}

/// Slowness grows with size: the logarithm of a time, or of a rate with its sign changed.
double slowness_log(double value, Quantity quantity) {
  return quantity == Quantity::per_second ? -std::log(value) : std::log(value);
}

struct Pool {
  double sum, mean;
  size_t count;
};

/// Makes logarithms rise, or stay, from each to the next: those that fall are pooled (Barlow et al. 1972), as
/// monotone_fit does with values. `pools` is memory that calls share.
void make_rising(std::vector<double>& logs, std::vector<Pool>& pools) {
  if (std::is_sorted(logs.begin(), logs.end())) return;
  pools.clear();
  for (const double value : logs) {
    pools.push_back({value, value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool right = pools.back();
      pools.pop_back();
      Pool& left = pools.back();
      left.sum += right.sum;
      left.count += right.count;
      left.mean = left.sum / static_cast<double>(left.count);
    }
  }
  size_t i = 0;
  for (const Pool& pool : pools) {
    for (size_t j = 0; j < pool.count; ++j) logs[i++] = pool.mean;
  }
}

Slowness fit_slowness(const SampledCurve& curve, const std::vector<double>& values, Quantity quantity) {
  Slowness made;
  made.sizes_bytes = curve.sizes_bytes;
  for (size_t i = 0; i < values.size(); ++i) {
    made.octaves.push_back(std::log2(static_cast<double>(curve.sizes_bytes[i])));
    made.logs.push_back(slowness_log(values[i], quantity));
  }
  std::vector<Pool> pools;
  make_rising(made.logs, pools);
  return made;
}

/// The samples of a size, in order and as they came: a draw counts how often it hit each, instead of sorting.
/// Of up to eight samples a byte each of one word counts the hits of it and of all before it.
class DrawnSamples {
 public:
  DrawnSamples(const std::vector<double>& samples, Quantity quantity)
      : quantity_(quantity), sorted_(samples.size()), place_(samples.size()), hits_(samples.size()) {
    std::vector<size_t> order(samples.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return samples[a] < samples[b]; });
    for (size_t i = 0; i < order.size(); ++i) {
      sorted_[i] = samples[order[i]];
      place_[order[i]] = static_cast<uint32_t>(i);
      logs_.push_back(slowness_log(sorted_[i], quantity));
    }
    const double position = usual_share(quantity) * static_cast<double>(samples.size() - 1);
    below_ = static_cast<size_t>(position);
    share_ = position - static_cast<double>(below_);
    for (const uint32_t place : place_)
      upwards_.push_back(place < bytes_of_word ? each_byte << 8 * place : 0);
  }

  /// Draws the samples anew, with replacement, and returns the usual one's slowness.
  double draw(SplitMix64& random) {
    const size_t count = place_.size();
    if (count <= bytes_of_word) return draw_few(random, count);
    std::fill(hits_.begin(), hits_.end(), 0);
    for (size_t i = 0; i < count; ++i) ++hits_[place_[random.below(count)]];
    size_t at = 0, passed = hits_[0];
    while (passed <= below_) passed += hits_[++at];
    const size_t low = at, above = std::min(below_ + 1, count - 1);
    while (passed <= above) passed += hits_[++at];
    return between(low, at);
  }

 private:
  static constexpr size_t bytes_of_word = 8;
  static constexpr uint64_t each_byte = 0x0101010101010101;

  double draw_few(SplitMix64& random, size_t count) {
    uint64_t passed = 0;
    for (size_t i = 0; i < count; ++i) passed += upwards_[random.below(count)];
    // The first byte that is larger than `place`: adding what is missing to 128 sets its highest bit.
    const auto first_beyond = [&](size_t place) {
      return static_cast<size_t>(std::countr_zero((passed + (127 - place) * each_byte) & (each_byte << 7))) /
             8;
    };
    return between(first_beyond(below_), first_beyond(std::min(below_ + 1, count - 1)));
  }

  /// Between two samples, as quantile() has it; mostly it is one of them.
  [[nodiscard]] double between(size_t low, size_t high) const {
    const double value = sorted_[low] + share_ * (sorted_[high] - sorted_[low]);
    return value == sorted_[low] ? logs_[low] : slowness_log(value, quantity_);
  }

  Quantity quantity_;
  std::vector<double> sorted_, logs_;
  std::vector<uint32_t> place_, hits_;
  std::vector<uint64_t> upwards_;
  size_t below_ = 0;
  double share_ = 0;
};

/// Draws each size's samples anew, again and again. Returns logarithms of slowness [draw][size].
std::vector<std::vector<double>> resampled_logs(const SampledCurve& curve, Quantity quantity) {
  SplitMix64 random(resampling_seed);
  std::vector<DrawnSamples> by_size;
  by_size.reserve(curve.values_by_size.size());
  for (const auto& samples : curve.values_by_size) by_size.emplace_back(samples, quantity);
  std::vector<std::vector<double>> draws(resampled_curves);
  for (auto& draw : draws) {
    draw.reserve(by_size.size());
    for (DrawnSamples& samples : by_size) draw.push_back(samples.draw(random));
  }
  return draws;
}

/// Returns what median() returns, sooner where few values stand again and again, as those of draws do.
double median_of_repeated(const std::vector<double>& values) {
  struct Repeated {
    double value;
    size_t times;
  };
  std::array<Repeated, 16> seen{};
  size_t different = 0;
  for (const double value : values) {
    size_t at = 0;
    while (at < different && seen[at].value != value) ++at;
    if (at == seen.size()) return median(values);
    if (at == different) seen[different++] = {value, 0};
    ++seen[at].times;
  }
  std::sort(seen.begin(), seen.begin() + different, [](auto& a, auto& b) { return a.value < b.value; });
  const auto at_place = [&](size_t place) {
    size_t at = 0;
    for (size_t passed = seen[0].times; passed <= place; passed += seen[at].times) ++at;
    return seen[at].value;
  };
  const double low = at_place((values.size() - 1) / 2), high = at_place(values.size() / 2);
  return values.size() % 2 == 1 ? low : low + 0.5 * (high - low);
}

/// Returns how far values scatter, on logs: the larger of what resampling says for a usual size, and of what
/// lies between neighbouring sizes and the fit.
double scatter(const std::vector<double>& values, const Slowness& fit,
               const std::vector<std::vector<double>>& draws, Quantity quantity) {
  constexpr double deviations = 1.4826;  // σ ÷ median absolute deviation of a normal distribution
  std::vector<double> by_size, residuals;
  std::vector<double> moves(draws.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double log_value = slowness_log(values[i], quantity);
    // Their median, since a few samples of a busy machine last three times as long.
    for (size_t draw = 0; draw < draws.size(); ++draw) moves[draw] = std::abs(draws[draw][i] - log_value);
    by_size.push_back(median_of_repeated(moves));
    residuals.push_back(std::abs(log_value - fit.logs[i]));
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
  std::vector<std::vector<double>> draws = resampled_logs(curve, quantity);
  const double noise = scatter(values, fit, draws, quantity);
  const auto steps = find_steps(fit, noise);
  if (steps.empty()) return no_edge(curve, values, noise, quantity);
  std::vector<std::vector<Step>> resampled;
  resampled.reserve(draws.size());
  Slowness drawn = fit;
  std::vector<Pool> pools;
  for (auto& draw : draws) {
    make_rising(draw, pools);
    drawn.logs.swap(draw);
    resampled.push_back(find_steps(drawn, noise));
  }
  std::vector<Knee> knees;
  for (const Step& step : steps) {
    if (const auto knee = confirmed(step, resampled)) knees.push_back(*knee);
  }
  if (knees.empty())
    return Unavailable{"no step of the curve is found again when its samples are drawn anew"};
  return knees;
}

}  // namespace harness
