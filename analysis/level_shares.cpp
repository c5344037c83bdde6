#include "analysis/level_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Curve;
using harness::Reading;
using harness::Unavailable;

namespace {

/// Two levels of the same speed cannot be told apart by it, nor need they be.
constexpr double least_speed_ratio = 1.02;

double rate_at(const Curve& falling, double bytes) {
  return harness::read_at(falling, bytes).value.median;
}

double farther_share(double rate, double nearer, double farther) {
  return std::clamp((1 / rate - 1 / nearer) / (1 / farther - 1 / nearer), 0.0, 1.0);
}

/// Returns where half of the bytes come from the farther of two levels; `otherwise` where their speeds are
/// the same.
double half_way(const Curve& falling, const ServingLevel& nearer, const ServingLevel& farther,
                double otherwise) {
  if (nearer.read_bytes_per_s < least_speed_ratio * farther.read_bytes_per_s) return otherwise;
  double low = nearer.inside_bytes, high = farther.inside_bytes;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::sqrt(low * high);
    const double share =
        farther_share(rate_at(falling, middle), nearer.read_bytes_per_s, farther.read_bytes_per_s);
    (share < 0.5 ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// A cache that does not replace the oldest line serves half of a cyclic read of up to twice its size (it
/// keeps C ÷ N of it), and holds no more than its size for that.
double held_bytes(double half_way_bytes, double reported_bytes) {
  return half_way_bytes <= reported_bytes ? half_way_bytes : std::max(reported_bytes, half_way_bytes / 2);
}

void add_share(LevelShares& shares, const std::string& level, double share) {
  (level == "l2" ? shares.l2 : level == "l3" ? shares.l3 : shares.dram) += share;
}

}  // namespace

Reading<std::vector<ServingLevel>> serving_levels(const harness::Machine& machine, const Curve& read_curve) {
  const Curve falling = harness::monotone_fit(read_curve, harness::Direction::falling);
  std::vector<ServingLevel> levels;
  std::vector<double> reported_bytes;
  for (int level = 2; level <= 3; ++level) {
    const auto inside = static_cast<double>(roof_size_bytes(machine, level));
    if (inside <= 0) continue;
    levels.push_back({level_name(level), inside, rate_at(falling, inside), 0});
    reported_bytes.push_back(static_cast<double>(level_cache(machine, level)->bytes));
  }
  if (levels.empty()) return Unavailable{"this machine reports no second-level cache"};
  const auto largest = static_cast<double>(falling.sizes_bytes.back());
  if (largest < 2 * reported_bytes.back())
    return Unavailable{"load_bandwidth does not reach beyond the last cache"};
  levels.push_back({"dram", largest, falling.values.back(), std::numeric_limits<double>::infinity()});
  for (size_t i = 0; i + 1 < levels.size(); ++i)
    levels[i].holds_bytes =
        held_bytes(half_way(falling, levels[i], levels[i + 1], reported_bytes[i]), reported_bytes[i]);
  return levels;
}

LevelShares cyclic_shares(const std::vector<ServingLevel>& levels, const Curve& read_curve, double bytes) {
  const Curve falling = harness::monotone_fit(read_curve, harness::Direction::falling);
  LevelShares shares;
  size_t nearer = 0;
  while (nearer + 2 < levels.size() && bytes > levels[nearer + 1].inside_bytes) ++nearer;
  const ServingLevel &near = levels[nearer], &far = levels[nearer + 1];
  double share = 0;
  if (bytes > near.inside_bytes) {
    share = near.read_bytes_per_s < least_speed_ratio * far.read_bytes_per_s
                ? (bytes > near.holds_bytes ? 1 : 0)
                : farther_share(rate_at(falling, bytes), near.read_bytes_per_s, far.read_bytes_per_s);
  }
  add_share(shares, near.level, 1 - share);
  add_share(shares, far.level, share);
  return shares;
}

double hits_left(const std::vector<ServingLevel>& levels, const Curve& read_curve, double bytes,
                 double time_ratio) {
  if (levels.size() < 2) return 1;
  const Curve falling = harness::monotone_fit(read_curve, harness::Direction::falling);
  const double cache = levels[levels.size() - 2].read_bytes_per_s, memory = levels.back().read_bytes_per_s;
  if (cache < least_speed_ratio * memory) return 1;
  const double rate = rate_at(falling, bytes);
  const double alone = farther_share(rate, cache, memory),
               beside = farther_share(rate / time_ratio, cache, memory);
  constexpr double nearly_all = 1 - 1e-9;
  return alone < nearly_all ? std::min((1 - beside) / (1 - alone), 1.0) : 1;
}

}  // namespace analysis
