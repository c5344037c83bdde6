#include "harness/retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "harness/line_looks.hpp"

namespace harness {
namespace {

/// Pools neighbours that rise until none does, every delay with weight one.
std::vector<double> falling_fit(const std::vector<double>& values) {
  struct Pool {
    double sum;
    size_t count;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() < pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> fitted;
  for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.count, pool.mean());
  return fitted;
}

/// How the curve falls from one delay to the next.
enum class Fall { straight, exponential };
/// An exponential decay never ends: below this share it counts as over.
constexpr double least_share = 0.01;

/// Returns the share of the way to the next delay after which a curve falls from `from` to `level`.
double way_to(double level, double from, double to, Fall fall) {
  if (fall == Fall::straight) return (from - level) / (from - to);
  const double end = std::max(to, std::min(least_share, level));
  return std::min(1.0, std::log(from / level) / std::log(from / end));
}

/// Returns the first delay at which the falling curve is at or below `level`.
std::optional<double> crossing_ns(std::span<const RetentionPoint> points, double Interval::*part,
                                  double level, Fall fall) {
  std::vector<double> values;
  for (const RetentionPoint& point : points) values.push_back(point.fraction.*part);
  const auto fitted = falling_fit(values);
  for (size_t i = 0; i < fitted.size(); ++i) {
    if (fitted[i] > level) continue;
    const auto here = static_cast<double>(points[i].delay_ns);
    if (i == 0) return here;
    const auto before = static_cast<double>(points[i - 1].delay_ns);
    return before + (here - before) * way_to(level, fitted[i - 1], fitted[i], fall);
  }
  return std::nullopt;
}

}  // namespace

Retention find_half_life(std::span<const RetentionPoint> points, Between between) {
  if (points.size() < 3) return {Unavailable{"fewer than 3 delays"}, std::nullopt};
  const double first = points.front().fraction.median;
  if (first < 0.5) {
    return {
        Unavailable{fmt::format("only {:.0f} % of the set were cached right after it was read", first * 100)},
        std::nullopt};
  }
  const double half = first / 2;
  const Fall early = between == Between::unknown ? Fall::exponential : Fall::straight;
  auto middle = crossing_ns(points, &Interval::median, half, Fall::straight);
  if (const auto soon = crossing_ns(points, &Interval::median, half, early))
    *middle = std::sqrt(*middle * *soon);
  const auto low = crossing_ns(points, &Interval::low, half, early);
  const auto high = crossing_ns(points, &Interval::high, half, Fall::straight);
  if (middle && low && high)
    return {Interval{*middle, std::min(*low, *middle), std::max(*high, *middle)}, std::nullopt};
  const auto longest = static_cast<double>(points.back().delay_ns);
  const double bound = low.value_or(longest);
  return {Unavailable{fmt::format("longer than {:.1f} ms: {}", bound / 1e6,
                                  middle ? "half of the set was not surely gone after the longest delay"
                                         : "more than half of the set was left after the longest delay")},
          bound};
}

std::vector<RetentionPoint> points_by_looks(std::span<const int64_t> delays_ns,
                                            std::span<const std::vector<LineCount>> looks,
                                            const ResidencyCalibration& calibration, double confidence) {
  assert(!looks.empty() && delays_ns.size() == looks.size());
  const double half = share_of_looks(calibration, looks[0], confidence).median / 2;
  const auto cut = [](double share) { return std::clamp(share, 0.0, 1.0); };
  std::vector<RetentionPoint> points;
  for (size_t i = 0; i < looks.size(); ++i) {
    const Interval beyond = share_beyond_half(calibration, looks[i], looks[0], confidence);
    const double share = share_of_looks(calibration, looks[i], confidence).median;
    points.push_back(
        {delays_ns[i],
         {share, std::min(cut(half + beyond.low), share), std::max(cut(half + beyond.high), share)}});
  }
  return points;
}

Reading<Interval> fraction_by_laps(std::span<const double> laps_ns, double warm_ns, double cold_ns) {
  if (laps_ns.empty()) return Unavailable{"no lap was timed"};
  if (!(warm_ns > 0) || !(warm_ns < 0.9 * cold_ns)) {
    return Unavailable{
        fmt::format("a warm lap takes {:.0f} ns and a flushed one {:.0f} ns: they cannot be told apart",
                    warm_ns, cold_ns)};
  }
  std::vector<double> fractions;
  for (const double lap : laps_ns)
    fractions.push_back(std::clamp((cold_ns - lap) / (cold_ns - warm_ns), 0.0, 1.0));
  return sign_interval(fractions);
}

Reading<std::optional<bool>> stays_warm(double weight_bytes, double bytes_per_s, const Retention& retention) {
  if (!(bytes_per_s > 0)) return Unavailable{"no rate at which the weights are read"};
  const double lap_ns = weight_bytes / bytes_per_s * 1e9;
  if (const auto* half_life = std::get_if<Interval>(&retention.half_life_ns))
    return std::optional<bool>{lap_ns < half_life->median / 2};
  if (!retention.longer_than_ns) return std::get<Unavailable>(retention.half_life_ns);
  if (lap_ns < *retention.longer_than_ns / 2) return std::optional<bool>{true};
  return std::optional<bool>{};
}

}  // namespace harness
