#include "analysis/team_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;

namespace {

/// At a size, or at the largest (0).
double median_rate(const Reading<harness::Curve>& curve, double bytes) {
  const auto& rates = std::get<harness::Curve>(curve);
  return bytes > 0 ? harness::read_at(rates, bytes).value.median : rates.values.back();
}

}  // namespace

Reading<RateLimits> team_limits(const harness::Submission& probed, const ServedBytes& served, int threads) {
  RateLimits limits;
  if (threads == 1) return limits;
  constexpr double too_little = 0.001;
  const auto most = [&](double LevelShares::*level) {
    return std::max({served.dense.*level, served.experts.*level, served.kv.*level});
  };
  const auto stream = [&](const char* probe, double bytes, double& limit, const char* level) -> std::string {
    const auto curve = find_curve(probed, "probes", probe, harness::Spread::of_median_95, threads);
    if (!available(curve))
      return fmt::format(
          "{} was not read by {} threads together ({}); tokroof probe does that with all cores", level,
          threads, probe);
    limit = median_rate(curve, bytes) / threads;
    return "";
  };
  std::string why;
  if (most(&LevelShares::l3) >= too_little)
    why = stream("load_bandwidth", static_cast<double>(roof_size_bytes(probed.machine, 3)),
                 limits.l3_bytes_per_s, "l3");
  if (why.empty() && most(&LevelShares::dram) >= too_little)
    why = stream("dram_stream", 0, limits.dram_bytes_per_s, "dram");
  if (!why.empty()) return Unavailable{why};
  return limits;
}

}  // namespace analysis
