#include "analysis/ecm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/eviction.hpp"
#include "analysis/jump_cost.hpp"
#include "analysis/kernel_speed.hpp"
#include "analysis/probe_series.hpp"
#include "analysis/served_bytes.hpp"
#include "models/token_work.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;
using models::Reads;

namespace {

constexpr int64_t small_page_bytes = 4096;

const LevelShares& shares_of(const ServedBytes& served, Reads reads) {
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

/// At a size, or at the largest (0).
double median_rate(const Reading<harness::Curve>& curve, double bytes) {
  const auto& rates = std::get<harness::Curve>(curve);
  return bytes > 0 ? harness::read_at(rates, bytes).value.median : rates.values.back();
}

/// What a team's threads can draw from shared levels, each its part. Unavailable when a level that serves
/// them was not streamed from by so many.
Reading<RateLimits> limits_of_team(const harness::Submission& probed, const ServedBytes& served,
                                   int threads) {
  RateLimits limits;
  if (threads == 1) return limits;
  constexpr double too_little = 0.001;
  const auto most = [&](double LevelShares::*level) {
    return std::max({served.dense.*level, served.experts.*level, served.kv.*level});
  };
  const auto stream = [&](const char* probe, double bytes, double& limit, const char* level) -> std::string {
    const auto curve = find_curve(probed, "probes", probe, harness::Spread::of_median_95, threads);
    if (!available(curve))
      return fmt::format("{} was not read by {} threads together ({})", level, threads, probe);
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

/// Adds up a token's kernels. Every thread of a team makes each call on its part of the rows or heads, and
/// the steps over vectors in full.
Reading<EcmForecast> add_up(const harness::Submission& probed, const std::vector<models::KernelUse>& uses,
                            const models::Shape& shape, const harness::DecodeKey& key,
                            const ServedBytes& served) {
  const auto shared = limits_of_team(probed, served, key.threads);
  if (const auto* why = std::get_if<Unavailable>(&shared)) return *why;
  EcmForecast forecast;
  forecast.dense = served.dense;
  forecast.experts = served.experts;
  forecast.constant_from_bytes = served.constant_from_bytes;
  forecast.last_cache_bytes = served.last_cache_bytes;
  double widths = 0, read_bytes = 0;
  for (const models::KernelUse& use : uses) {
    const auto speed = kernel_speed(probed, key.isa, use);
    if (const auto* why = std::get_if<Unavailable>(&speed)) return *why;
    const double bytes = use.reads == Reads::nothing ? use.bytes : use.bytes / key.threads;
    const auto time = kernel_time(std::get<KernelSpeed>(speed), use.calls, bytes,
                                  shares_of(served, use.reads), std::get<RateLimits>(shared));
    if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
    const auto& spent = std::get<KernelTime>(time);
    add(forecast, part_of(use.reads), spent.seconds);
    read_bytes += use.reads == Reads::nothing ? 0 : use.bytes;
    widths += spent.seconds * spent.log_width;
  }
  const double jumps = served.experts.dram * shape.experts.top_k * static_cast<double>(shape.blocks.size());
  const double jump_s = jump_seconds(probed);
  if (jumps > 0 && jump_s > 0) add(forecast, "jumps", jumps * jump_s);
  const double walk_s = page_walk_s(probed);
  if (key.mode == "evict_stream" && key.page_bytes == small_page_bytes && walk_s > 0)
    add(forecast, "addresses", read_bytes / key.threads / static_cast<double>(small_page_bytes) * walk_s);
  forecast.log_width = widths / forecast.seconds;
  return forecast;
}

/// What is left in a cache depends on how long a token takes, and that on what is left: repeated until it
/// stays.
Reading<EcmForecast> settle(const harness::Submission& probed, const std::vector<models::KernelUse>& uses,
                            const models::Shape& shape, const harness::DecodeKey& key,
                            const HalfLives& half_lives) {
  constexpr int most_rounds = 50;
  constexpr double close = 1e-9;
  double token_s = 0;
  for (int round = 0;; ++round) {
    const auto served = served_bytes(probed, uses, shape, key, token_s, half_lives);
    if (const auto* why = std::get_if<Unavailable>(&served)) return *why;
    auto made = add_up(probed, uses, shape, key, std::get<ServedBytes>(served));
    const auto* forecast = std::get_if<EcmForecast>(&made);
    if (!forecast || half_lives.empty() || round == most_rounds ||
        std::abs(forecast->seconds - token_s) <= close * token_s)
      return made;
    token_s = forecast->seconds;
  }
}

}  // namespace

Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                  const harness::DecodeKey& key) {
  if (key.arithmetic != "int8") return Unavailable{"kernel_rates measures integer kernels alone"};
  const auto uses = models::token_work(shape, key.position_first, key.position_last);
  HalfLives usual, brief, lasting;
  for (const auto& [level, life_s] : half_lives_s(probed)) {
    usual[level] = life_s.median;
    brief[level] = life_s.low;
    lasting[level] = life_s.high;
  }
  auto made = settle(probed, uses, shape, key, usual);
  auto* forecast = std::get_if<EcmForecast>(&made);
  if (!forecast || usual.empty()) return made;
  // More stays the longer the half-life: its interval is one of the speed, too.
  const auto slowest = settle(probed, uses, shape, key, brief),
             fastest = settle(probed, uses, shape, key, lasting);
  const auto *slow = std::get_if<EcmForecast>(&slowest), *fast = std::get_if<EcmForecast>(&fastest);
  if (slow && fast)
    forecast->log_width = std::hypot(forecast->log_width, std::log(slow->seconds / fast->seconds) / 2);
  return made;
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
