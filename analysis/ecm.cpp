#include "analysis/ecm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/expert_residency.hpp"
#include "analysis/jump_cost.hpp"
#include "analysis/kernel_speed.hpp"
#include "analysis/probe_series.hpp"
#include "harness/statistics.hpp"
#include "models/token_work.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;
using models::Reads;

namespace {

/// What serves each kind of bytes.
struct Served {
  LevelShares dense, experts, kv;
  double constant_from_bytes = 0, last_cache_bytes = 0;
};

double bytes_of(const std::vector<models::KernelUse>& uses, Reads reads) {
  double bytes = 0;
  for (const auto& use : uses) bytes += use.reads == reads ? use.bytes : 0;
  return bytes;
}

Reading<LevelShares> expert_shares(const std::vector<ServingLevel>& levels, const ExpertPool& pool,
                                   const std::string& routing) {
  LevelShares shares;
  double nearer = 0;
  for (const ServingLevel& level : levels) {
    if (level.level == "dram") break;
    const auto hit = expert_hit_ratio(pool, level.holds_bytes, routing);
    if (const auto* why = std::get_if<Unavailable>(&hit)) return *why;
    (level.level == "l2" ? shares.l2 : shares.l3) = std::max(std::get<double>(hit) - nearer, 0.0);
    nearer = std::max(nearer, std::get<double>(hit));
  }
  shares.dram = 1 - nearer;
  return shares;
}

/// Everything as warm; K and V share the fate of the weights that pass between two reads of them.
Reading<Served> served_warm(const harness::Submission& probed, const std::vector<models::KernelUse>& uses,
                            const models::Shape& shape, const std::string& routing) {
  const auto curve = find_curve(probed, "probes", "load_bandwidth", harness::Spread::of_next_90);
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const auto levels = serving_levels(probed.machine, std::get<harness::Curve>(curve));
  if (const auto* why = std::get_if<Unavailable>(&levels)) return *why;
  const auto& known = std::get<std::vector<ServingLevel>>(levels);
  const double kv = bytes_of(uses, Reads::kv), visited = bytes_of(uses, Reads::experts);
  const double weights = static_cast<double>(models::cost(shape).weight_bytes_per_token);
  Served served;
  served.dense = cyclic_shares(known, std::get<harness::Curve>(curve), weights + kv);
  served.kv = served.dense;
  served.last_cache_bytes = known[known.size() - 2].holds_bytes;
  if (shape.experts.count == 0) return served;
  const ExpertPool pool{weights - visited + kv, models::pool_bytes(shape), visited, shape.experts.count,
                        shape.experts.top_k};
  served.constant_from_bytes = pool.dense_bytes + pool.pool_bytes;
  const auto experts = expert_shares(known, pool, routing);
  if (const auto* why = std::get_if<Unavailable>(&experts)) return *why;
  served.experts = std::get<LevelShares>(experts);
  return served;
}

Reading<Served> served_by(const harness::Submission& probed, const std::vector<models::KernelUse>& uses,
                          const models::Shape& shape, const harness::DecodeKey& key) {
  if (key.mode == "evict_stream") return Served{all_from_dram, all_from_dram, all_from_dram};
  if (key.mode == "evict_flush") {
    // A flush spares K and V, and nothing else is read after it that could push them out of the nearest
    // cache.
    return Served{all_from_dram, all_from_dram, LevelShares{1, 0, 0}};
  }
  return served_warm(probed, uses, shape, key.routing);
}

const LevelShares& shares_of(const Served& served, Reads reads) {
  static const LevelShares nearest{1, 0, 0};
  return reads == Reads::dense     ? served.dense
         : reads == Reads::experts ? served.experts
         : reads == Reads::kv      ? served.kv
                                   : nearest;
}

const char* part_of(Reads reads) {
  return reads == Reads::dense     ? "weights"
         : reads == Reads::experts ? "experts"
         : reads == Reads::kv      ? "attention"
                                   : "vectors";
}

void add(EcmForecast& forecast, const char* part, double seconds) {
  forecast.seconds += seconds;
  for (auto& known : forecast.parts) {
    if (known.name == part) {
      known.seconds += seconds;
      return;
    }
  }
  forecast.parts.push_back({part, seconds});
}

std::string refusal(const harness::DecodeKey& key) {
  if (key.arithmetic != "int8") return "kernel_rates measures integer kernels alone";
  if (key.threads != 1) return "kernel_rates measures one thread";
  return "";
}

}  // namespace

Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                  const harness::DecodeKey& key) {
  const std::string refused = refusal(key);
  if (!refused.empty()) return Unavailable{refused};
  const auto uses = models::token_work(shape, key.position_first, key.position_last);
  const auto found = served_by(probed, uses, shape, key);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Served& served = std::get<Served>(found);
  EcmForecast forecast;
  forecast.dense = served.dense;
  forecast.experts = served.experts;
  forecast.constant_from_bytes = served.constant_from_bytes;
  forecast.last_cache_bytes = served.last_cache_bytes;
  double widths = 0;
  for (const models::KernelUse& use : uses) {
    const auto speed = kernel_speed(probed, key.isa, use);
    if (const auto* why = std::get_if<Unavailable>(&speed)) return *why;
    const auto time =
        kernel_time(std::get<KernelSpeed>(speed), use.calls, use.bytes, shares_of(served, use.reads));
    if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
    const auto& spent = std::get<KernelTime>(time);
    add(forecast, part_of(use.reads), spent.seconds);
    widths += spent.seconds * spent.log_width;
  }
  const double jumps = served.experts.dram * shape.experts.top_k * static_cast<double>(shape.blocks.size());
  const double jump_s = jump_seconds(probed, models::expert_bytes(shape));
  if (jumps > 0 && jump_s > 0) add(forecast, "jumps", jumps * jump_s);
  forecast.log_width = widths / forecast.seconds;
  return forecast;
}

harness::Interval tokens_per_s(const EcmForecast& forecast, const harness::ModelError& error) {
  const double width = std::exp(std::hypot(forecast.log_width, std::log(error.spread_ratio)));
  const double tokens = 1 / forecast.seconds;
  return {tokens, tokens / width, tokens * width};
}

std::optional<harness::ExpertForecast> of_experts(const EcmForecast& forecast) {
  if (forecast.constant_from_bytes <= 0) return std::nullopt;
  return harness::ExpertForecast{std::llround(forecast.constant_from_bytes),
                                 std::llround(forecast.last_cache_bytes), 1 - forecast.experts.dram};
}

}  // namespace analysis
