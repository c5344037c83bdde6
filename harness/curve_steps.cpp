#include "harness/curve_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "harness/statistics.hpp"

namespace harness {
namespace {

constexpr double fewest_octaves = 0.9;  // that make a level: one, less what rounding of sizes takes
constexpr size_t fewest_level_sizes = 3;
constexpr double level_logs = 0.14;  // ln 1.15
constexpr double trim_logs = 0.05;   // 5 %: what "runs at the level's rate" means at least
constexpr double end_share = 0.25;   // of a step: how much the curve's last octave may change behind it
constexpr double end_logs = 0.28;    // ln 1.32, and in all

struct Level {
  size_t first = 0, last = 0;  ///< inclusive
};

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

/// Returns what median() returns, of values that stand in order.
double median_of_sorted(std::span<const double> values) {
  const size_t below = (values.size() - 1) / 2;
  if (values.size() % 2 == 1) return values[below];
  return values[below] + 0.5 * (values[below + 1] - values[below]);
}

/// Returns the median of the values within an octave of size `at`, between sizes `first` and `last`.
double value_near(const Slowness& curve, size_t at, size_t first, size_t last) {
  size_t begin = at, end = at + 1;  // sizes rise: those within an octave are neighbours
  while (begin > first && curve.octaves[at] - curve.octaves[begin - 1] <= 1.01) --begin;
  while (end <= last && curve.octaves[end] - curve.octaves[at] <= 1.01) ++end;
  const std::span<const double> near(curve.logs.data() + begin, end - begin);
  return std::is_sorted(near.begin(), near.end()) ? median_of_sorted(near) : median(near);
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
/// it. Memory behind a large shared cache is reached slowly, and the curve ends there. Its middle size is
/// held against its first: the monotone fit can pool a disturbed last size with nothing behind it.
std::optional<Level> end_level(const Slowness& curve, const Level& before, double least_step) {
  const size_t last = curve.logs.size() - 1;
  size_t first = last;
  while (first > before.last + 1 && curve.octaves[last] - curve.octaves[first] < fewest_octaves) --first;
  const double step = curve.logs[first] - curve.logs[before.last];
  const bool is_level =
      last - first + 1 >= fewest_level_sizes &&
      curve.octaves[last] - curve.octaves[first] >= fewest_octaves && step >= least_step &&
      curve.logs[(first + last) / 2] - curve.logs[first] <= std::min(end_logs, end_share * step);
  return is_level ? std::optional<Level>({first, last}) : std::nullopt;
}

}  // namespace

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

}  // namespace harness
