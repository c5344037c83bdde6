#include "analysis/change_points.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "analysis/random_orders.hpp"

namespace analysis {
namespace {

struct Split {
  size_t at = 0;
  double statistic = 0;
};

/// Finds the best split of a sequence in any order. Sums of distances come from a Fenwick tree over ranks, so
/// that one order costs n log n.
class SplitScan {
 public:
  explicit SplitScan(std::span<const double> values) : values_(values), rank_(values.size()) {
    const size_t n = values.size();
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
    for (size_t i = 0; i < n; ++i) rank_[order[i]] = i;
    double sum = std::accumulate(values.begin(), values.end(), 0.0), below = 0;
    distances_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      const double value = values[order[i]], above = sum - below - value;
      distances_[order[i]] =
          value * static_cast<double>(i) - below + above - value * static_cast<double>(n - 1 - i);
      below += value;
    }
  }

  /// The best split of the values in this order, with `least` on either side.
  Split best(const std::vector<size_t>& order, size_t least) {
    const size_t n = order.size();
    counts_.assign(n + 1, 0);
    sums_.assign(n + 1, 0);
    double left = 0, right = std::accumulate(distances_.begin(), distances_.end(), 0.0) / 2, between = 0;
    double left_sum = 0;
    Split best;
    for (size_t t = 0; t + least < n; ++t) {
      const double value = values_[order[t]], to_left = distance_to_left(order[t], t, left_sum);
      const double to_right = distances_[order[t]] - to_left;
      left += to_left;
      right -= to_right;
      between += to_right - to_left;
      add(order[t]);
      left_sum += value;
      if (t + 1 < least) continue;
      const auto a = static_cast<double>(t + 1), b = static_cast<double>(n - t - 1);
      const double energy = 2 * between / (a * b) - 2 * left / (a * a) - 2 * right / (b * b);
      const double statistic = a * b / (a + b) * energy;
      if (best.at == 0 || statistic > best.statistic) best = {t + 1, statistic};
    }
    return best;
  }

 private:
  double distance_to_left(size_t index, size_t count, double sum) const {
    double below_count = 0, below_sum = 0;
    for (size_t i = rank_[index] + 1; i > 0; i -= i & (~i + 1)) {
      below_count += counts_[i];
      below_sum += sums_[i];
    }
    const double value = values_[index];
    return value * below_count - below_sum + (sum - below_sum) -
           value * (static_cast<double>(count) - below_count);
  }
  void add(size_t index) {
    for (size_t i = rank_[index] + 1; i < counts_.size(); i += i & (~i + 1)) {
      counts_[i] += 1;
      sums_[i] += values_[index];
    }
  }

  std::span<const double> values_;
  std::vector<size_t> rank_;
  std::vector<double> distances_;  ///< of each value to all others
  std::vector<double> counts_, sums_;
};

/// The p-value of a split. Stops where it is sure to be above alpha (Besag & Clifford 1991).
double permutation_p(SplitScan& scan, const Split& found, RandomOrders orders, const ChangeRule& rule) {
  // Sums in another order differ in their last digits.
  const double as_good = found.statistic - 1e-9 * std::abs(found.statistic);
  int exceeding = 0, done = 0;
  while (done < rule.permutations) {
    ++done;
    if (scan.best(orders.next(), rule.least_points).statistic >= as_good) ++exceeding;
    if (exceeding + 1 > rule.alpha * (rule.permutations + 1)) break;
  }
  return (exceeding + 1.0) / (done + 1.0);
}

struct Segment {
  size_t from = 0, to = 0;
  double statistic = 0;
};

/// Ranks about their mean, ties at their middle.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> ranks;
  ranks.reserve(values.size());
  for (const double value : values) {
    double rank = 0;
    for (const double other : values) rank += other < value ? 1 : other > value ? -1 : 0;
    ranks.push_back(rank);
  }
  return ranks;
}

/// The segment whose ranks differ most from those of the rest, `least` values from either end.
Segment best_segment(const std::vector<double>& ranks, size_t least) {
  const size_t n = ranks.size();
  std::vector<double> sums(n + 1, 0);
  for (size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + ranks[i];
  Segment best;
  for (size_t from = least; from + 2 * least <= n; ++from) {
    for (size_t to = from + least; to + least <= n; ++to) {
      const double sum = sums[to] - sums[from];
      const auto inside = static_cast<double>(to - from);
      const double statistic = sum * sum / (inside * (static_cast<double>(n) - inside));
      if (statistic > best.statistic) best = {from, to, statistic};
    }
  }
  return best;
}

double permutation_p(const Segment& found, const std::vector<double>& ranks, const ChangeRule& rule,
                     uint64_t seed) {
  RandomOrders orders(ranks, rule.correlation, seed);
  std::vector<double> shuffled(ranks.size());
  const double as_good = found.statistic * (1 - 1e-9);
  int exceeding = 0, done = 0;
  while (done < rule.permutations) {
    const std::vector<size_t>& order = orders.next();
    for (size_t i = 0; i < order.size(); ++i) shuffled[i] = ranks[order[i]];
    ++done;
    if (best_segment(shuffled, rule.least_points).statistic >= as_good) ++exceeding;
    if (exceeding + 1 > rule.alpha * (rule.permutations + 1)) break;
  }
  return (exceeding + 1.0) / (done + 1.0);
}

void split(std::span<const double> values, size_t first, const ChangeRule& rule,
           std::vector<ChangePoint>& found);

/// A level that rose and fell back shows no single split: looks for the stretch between.
void split_segment(std::span<const double> values, size_t first, const ChangeRule& rule, uint64_t seed,
                   std::vector<ChangePoint>& found) {
  if (values.size() < 3 * rule.least_points) return;
  const std::vector<double> ranks = centred_ranks(values);
  const Segment best = best_segment(ranks, rule.least_points);
  if (best.statistic <= 0) return;
  const double p = permutation_p(best, ranks, rule, seed ^ 0x5e9);
  if (p > rule.alpha) return;
  split(values.first(best.from), first, rule, found);
  found.push_back({first + best.from, p});
  split(values.subspan(best.from, best.to - best.from), first + best.from, rule, found);
  found.push_back({first + best.to, p});
  split(values.subspan(best.to), first + best.to, rule, found);
}

void split(std::span<const double> values, size_t first, const ChangeRule& rule,
           std::vector<ChangePoint>& found) {
  if (values.size() < 2 * rule.least_points) return;
  SplitScan scan(values);
  const Split best = scan.best(in_order(values.size()), rule.least_points);
  if (best.at == 0 || best.statistic <= 0) return;
  const uint64_t seed = rule.seed * 0x9e3779b97f4a7c15ULL + first * 0x10001 + values.size();
  const double p = permutation_p(scan, best, RandomOrders(values, rule.correlation, seed), rule);
  if (p > rule.alpha) return split_segment(values, first, rule, seed, found);
  split(values.first(best.at), first, rule, found);
  found.push_back({first + best.at, p});
  split(values.subspan(best.at), first + best.at, rule, found);
}

}  // namespace

double normal_cdf(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double robust_deviation(std::span<const double> values) {
  constexpr double of_normal = 1.4826;  // 1 ÷ the upper quartile of the standard normal
  const double centre = harness::median(values);
  std::vector<double> away;
  away.reserve(values.size());
  for (const double value : values) away.push_back(std::abs(value - centre));
  return of_normal * harness::median(away);
}

std::vector<ChangePoint> find_change_points(std::span<const double> values, const ChangeRule& rule) {
  assert(rule.least_points >= 1);
  std::vector<ChangePoint> found;
  split(values, 0, rule, found);
  return found;
}

harness::Interval level_shift(std::span<const double> before, std::span<const double> after,
                              double confidence) {
  assert(!before.empty() && !after.empty());
  std::vector<double> differences;
  differences.reserve(before.size() * after.size());
  for (const double a : before) {
    for (const double b : after) differences.push_back(b - a);
  }
  std::sort(differences.begin(), differences.end());
  const auto m = static_cast<double>(before.size()), n = static_cast<double>(after.size());
  const double z = normal_quantile((1 + confidence) / 2);
  const double out = std::floor(m * n / 2 - z * std::sqrt(m * n * (m + n + 1) / 12));
  const auto skip = static_cast<size_t>(std::max(0.0, out));
  return {harness::median(differences), differences[skip], differences[differences.size() - 1 - skip]};
}

}  // namespace analysis
