#include "analysis/barrier_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/probe_series.hpp"
#include "harness/curve.hpp"

namespace analysis {

using harness::Curve;
using harness::Reading;
using harness::Unavailable;

namespace {

Reading<Curve> ns_of(const harness::Submission& probed, int threads) {
  const auto found = find_series(probed, "probes", "barrier", threads);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const harness::Series& series = *std::get<const harness::Series*>(found);
  if (series.work_unit != "barriers")
    return Unavailable{fmt::format("barrier counts \"{}\", not barriers", series.work_unit)};
  return harness::make_curve(series.sizes_bytes, series.work_per_sample, series.samples_by_size,
                             harness::Quantity::ns_per_unit, harness::Spread::of_next_90);
}

}  // namespace

Reading<BarrierCost> barrier_cost(const harness::Submission& probed, int threads) {
  const auto of_team = ns_of(probed, threads), of_one = ns_of(probed, 1);
  for (const auto* curve : {&of_team, &of_one}) {
    if (const auto* why = std::get_if<Unavailable>(curve))
      return Unavailable{
          fmt::format("no barrier of {} threads was measured ({}); tokroof probe does that with all cores",
                      threads, why->reason)};
  }
  const auto &team = std::get<Curve>(of_team), &alone = std::get<Curve>(of_one);
  BarrierCost cost;
  for (size_t i = 0; i < team.values.size(); ++i) {
    const auto bytes = static_cast<double>(team.sizes_bytes[i]);
    const harness::Interval one = harness::read_at(alone, bytes).value;
    const double more_ns = team.values[i] - one.median;
    cost.bytes.push_back(bytes);
    cost.seconds.push_back(1e-9 * std::max(more_ns, 0.0));
    // Both scatter, and their difference as much as both.
    cost.widths_s.push_back(0.5e-9 * std::hypot(team.high[i] - team.low[i], one.high - one.low));
  }
  return cost;
}

BarrierTime barrier_time(const BarrierCost& cost, double bytes) {
  const auto farther =
      static_cast<size_t>(std::lower_bound(cost.bytes.begin(), cost.bytes.end(), bytes) - cost.bytes.begin());
  if (farther == 0) return {cost.seconds.front(), cost.widths_s.front()};
  if (farther == cost.bytes.size()) return {cost.seconds.back(), cost.widths_s.back()};
  const double part = (bytes - cost.bytes[farther - 1]) / (cost.bytes[farther] - cost.bytes[farther - 1]);
  return {std::lerp(cost.seconds[farther - 1], cost.seconds[farther], part),
          std::lerp(cost.widths_s[farther - 1], cost.widths_s[farther], part)};
}

}  // namespace analysis
