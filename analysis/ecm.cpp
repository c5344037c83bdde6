#include "analysis/ecm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/crowding.hpp"
#include "analysis/eviction.hpp"
#include "analysis/expert_speed.hpp"
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

/// What a forecast is made of, but for how long a token lasts.
struct Inputs {
  const harness::Submission& probed;
  const models::Shape& shape;
  const harness::DecodeKey& key;
  std::vector<models::KernelUse> uses;
  std::optional<ExpertSpeed> experts;  ///< where kernel_rates measured such a pool
  Crowding crowding;                   ///< by the antagonist of the mode; none for other modes
  double lap_bytes = 0;                ///< what a token reads: weights, K and V
};

bool is_cold(const std::string& mode) {
  return mode == "evict_flush" || mode == "evict_stream";
}

/// What kernel_rates says of these experts in tokens that last token_s; nullopt when it has nothing.
Reading<std::optional<ExpertTime>> time_of_expert(const Inputs& inputs, double token_s) {
  using Found = std::optional<ExpertTime>;
  if (!inputs.experts) return Found{};
  if (is_cold(inputs.key.mode))
    return inputs.experts->dram_s > 0 ? Found{{inputs.experts->dram_s, 0}} : Found{};
  const auto time = expert_time(*inputs.experts, inputs.shape, inputs.key.routing, token_s);
  if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
  return Found{std::get<ExpertTime>(time)};
}

/// What the antagonist beside a decode does to what lies in L2, and to a cyclic read of lap_bytes beyond it.
Slowing slowing_of(const Inputs& inputs, double lap_bytes) {
  if (inputs.crowding.points.empty()) return {};
  return {crowding_at(inputs.crowding, 0).time_ratio, crowding_at(inputs.crowding, lap_bytes).time_ratio};
}

/// Adds up the kernels of a token, without those of experts when `skip_experts`. Every thread of a team makes
/// each call on its part of the rows or heads, and the steps over vectors in full.
std::optional<Unavailable> add_kernels(const Inputs& inputs, const ServedBytes& served, bool skip_experts,
                                       EcmForecast& forecast, double& widths) {
  const int threads = inputs.key.threads;
  const auto shared = limits_of_team(inputs.probed, served, threads);
  if (const auto* why = std::get_if<Unavailable>(&shared)) return *why;
  const Slowing dense_slowing = slowing_of(inputs, inputs.lap_bytes),
                pool_slowing = slowing_of(inputs, served.constant_from_bytes);
  for (const models::KernelUse& use : inputs.uses) {
    if (skip_experts && use.reads == Reads::experts) continue;
    const auto speed = kernel_speed(inputs.probed, inputs.key.isa, use);
    if (const auto* why = std::get_if<Unavailable>(&speed)) return *why;
    const Slowing& slowing = use.reads == Reads::experts ? pool_slowing : dense_slowing;
    const double bytes = use.reads == Reads::nothing ? use.bytes : use.bytes / threads;
    const auto time = kernel_time(std::get<KernelSpeed>(speed), use.calls, bytes,
                                  shares_of(served, use.reads), std::get<RateLimits>(shared), slowing);
    if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
    const auto& spent = std::get<KernelTime>(time);
    add(forecast, part_of(use.reads), spent.seconds);
    widths += spent.seconds * spent.log_width;
  }
  return std::nullopt;
}

/// What a jump to each expert costs where it was not measured with the experts, and after a stream code,
/// vectors and addresses.
void add_places(const Inputs& inputs, bool jumps_measured, EcmForecast& forecast) {
  const models::Shape& shape = inputs.shape;
  const double jumps = forecast.experts.dram * shape.experts.top_k * static_cast<double>(shape.blocks.size());
  const double jump_s = jump_seconds(inputs.probed);
  if (!jumps_measured && jumps > 0 && jump_s > 0) add(forecast, "jumps", jumps * jump_s);
  if (inputs.key.mode != "evict_stream") return;
  const double first_s = first_calls_s(inputs.probed, inputs.key.isa, inputs.uses);
  if (first_s > 0) add(forecast, "first calls", first_s);
  const double walk_s = page_walk_s(inputs.probed);
  if (inputs.key.page_bytes != small_page_bytes || walk_s <= 0) return;
  double read_bytes = 0;
  for (const models::KernelUse& use : inputs.uses) read_bytes += use.reads == Reads::nothing ? 0 : use.bytes;
  add(forecast, "addresses",
      read_bytes / inputs.key.threads / static_cast<double>(small_page_bytes) * walk_s);
}

Reading<EcmForecast> add_up(const Inputs& inputs, ServedBytes served, double token_s) {
  const auto found = time_of_expert(inputs, token_s);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto& expert = std::get<std::optional<ExpertTime>>(found);
  if (expert) served.experts = {0, expert->hit_ratio, 1 - expert->hit_ratio};
  // Of a team each member has experts of its own: then what serves them is known, and not how fast.
  const bool direct = expert && inputs.key.threads == 1;
  EcmForecast forecast;
  forecast.dense = served.dense;
  forecast.experts = served.experts;
  forecast.constant_from_bytes = served.constant_from_bytes;
  forecast.last_cache_bytes = served.last_cache_bytes;
  double widths = 0;
  if (auto why = add_kernels(inputs, served, direct, forecast, widths)) return *why;
  if (direct) {
    const double seconds = slowing_of(inputs, served.constant_from_bytes).shared_ratio * expert->seconds *
                           inputs.shape.experts.top_k * static_cast<double>(inputs.shape.blocks.size());
    add(forecast, "experts", seconds);
    widths += seconds * inputs.experts->log_width;
  }
  add_places(inputs, expert.has_value(), forecast);
  const double crowding_width =
      inputs.crowding.points.empty() ? 0 : crowding_at(inputs.crowding, inputs.lap_bytes).log_width;
  forecast.log_width = std::hypot(widths / forecast.seconds, crowding_width);
  return forecast;
}

/// What is left in a cache depends on how long a token takes, and that on what is left: repeated until it
/// stays.
Reading<EcmForecast> settle(const Inputs& inputs, const HalfLives& half_lives) {
  constexpr int most_rounds = 50;
  constexpr double close = 1e-9;
  const bool fixed = half_lives.empty() && !inputs.experts;
  double token_s = 0;
  for (int round = 0;; ++round) {
    const auto served =
        served_bytes(inputs.probed, inputs.uses, inputs.shape, inputs.key, token_s, half_lives);
    if (const auto* why = std::get_if<Unavailable>(&served)) return *why;
    auto made = add_up(inputs, std::get<ServedBytes>(served), token_s);
    const auto* forecast = std::get_if<EcmForecast>(&made);
    if (!forecast || fixed || round == most_rounds ||
        std::abs(forecast->seconds - token_s) <= close * token_s)
      return made;
    token_s = forecast->seconds;
  }
}

}  // namespace

Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                  const harness::DecodeKey& key) {
  if (key.arithmetic != "int8") return Unavailable{"kernel_rates measures integer kernels alone"};
  Inputs inputs{probed, shape, key, models::token_work(shape, key.position_first, key.position_last),
                {},     {},    0};
  inputs.crowding = crowding(probed, key.mode, key.placement);
  inputs.lap_bytes = static_cast<double>(models::cost(shape).weight_bytes_per_token);
  for (const auto& use : inputs.uses) inputs.lap_bytes += use.reads == Reads::kv ? use.bytes : 0;
  const auto experts = expert_speed(probed, key.isa, shape);
  if (const auto* speed = std::get_if<ExpertSpeed>(&experts)) inputs.experts = *speed;
  HalfLives usual, brief, lasting;
  for (const auto& [level, life_s] : half_lives_s(probed)) {
    usual[level] = life_s.median;
    brief[level] = life_s.low;
    lasting[level] = life_s.high;
  }
  auto made = settle(inputs, usual);
  auto* forecast = std::get_if<EcmForecast>(&made);
  if (!forecast || usual.empty()) return made;
  // More stays the longer the half-life: its interval is one of the speed, too.
  const auto slowest = settle(inputs, brief), fastest = settle(inputs, lasting);
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
