#include "analysis/ecm.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/barrier_cost.hpp"
#include "analysis/crowding.hpp"
#include "analysis/eviction.hpp"
#include "analysis/expert_speed.hpp"
#include "analysis/jump_cost.hpp"
#include "analysis/kernel_speed.hpp"
#include "analysis/served_bytes.hpp"
#include "analysis/team_limits.hpp"
#include "harness/eviction_evidence.hpp"
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

/// What a forecast is made of, but for how long a token lasts.
struct Inputs {
  const harness::Submission& probed;
  const models::Shape& shape;
  const harness::DecodeKey& key;
  std::vector<models::KernelUse> uses;  ///< of the token
  std::vector<models::KernelUse> own;   ///< of one thread: the one that has most to do
  std::optional<ExpertSpeed> experts;   ///< where kernel_rates measured such a pool
  Crowding crowding;                    ///< by the antagonist of the mode; none for other modes
  double lap_bytes = 0;                 ///< what a token reads: weights, K and V
  double memory_ratio = 1;              ///< how much longer memory takes than in the probe

  /// What was measured after streams was measured on small pages.
  [[nodiscard]] bool streamed() const {
    return key.mode == "evict_stream" && key.page_bytes == small_page_bytes && key.threads == 1;
  }
};

/// What kernel_rates says of these experts in tokens that last token_s; nullopt when it has nothing.
Reading<std::optional<ExpertTime>> time_of_expert(const Inputs& inputs, double token_s) {
  using Found = std::optional<ExpertTime>;
  if (!inputs.experts) return Found{};
  const ExpertSpeed& speed = *inputs.experts;
  if (inputs.streamed() && speed.streamed_s > 0) return Found{{speed.streamed_s, 0}};
  if (harness::evicts_weights(inputs.key.mode)) return speed.dram_s > 0 ? Found{{speed.dram_s, 0}} : Found{};
  const auto time = expert_time(speed, inputs.shape, inputs.key.routing, token_s);
  if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
  return Found{std::get<ExpertTime>(time)};
}

/// How much longer calls and what lies in L2 take beside the antagonist.
double near_ratio(const Inputs& inputs) {
  return inputs.crowding.points.empty() ? 1 : crowding_at(inputs.crowding, 0).time_ratio;
}

/// Which share of L3's hits the antagonist leaves to a cyclic read of `bytes`; 1 of none.
double left_beside(const Inputs& inputs, double bytes) {
  if (inputs.crowding.points.empty() || bytes <= 0) return 1;
  return hits_left(inputs.probed, bytes, crowding_at(inputs.crowding, bytes).time_ratio);
}

void lose_hits(LevelShares& shares, double left) {
  shares = {shares.l2, left * shares.l3, shares.dram + (1 - left) * shares.l3};
}

/// Beside the seconds: each part's times its width, and bytes whose addresses a stream pushes out, where no
/// kernel was measured after one.
struct Sums {
  double widths = 0, addressed_bytes = 0;
};

/// Adds what one kernel takes. Attention after a stream reads K and V of each head in places of their own.
std::optional<Unavailable> add_kernel(const Inputs& inputs, const models::KernelUse& use,
                                      const LevelShares& shares, const RateLimits& shared,
                                      EcmForecast& forecast, Sums& sums) {
  const auto found = kernel_speed(inputs.probed, inputs.key.isa, use);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto& speed = std::get<KernelSpeed>(found);
  if (inputs.streamed() && use.reads == Reads::kv && !speed.streamed_calls.empty()) {
    const double seconds = use.calls * cold_call_s(speed.streamed_calls, use.bytes / use.calls);
    add(forecast, part_of(use.reads), seconds);
    sums.widths += seconds * speed.dram_log_width;
    return std::nullopt;
  }
  Slowing slowing{near_ratio(inputs), inputs.memory_ratio};
  const bool known = inputs.streamed() && speed.streamed_ratio > 0;
  if (known) slowing.memory_ratio *= speed.streamed_ratio;
  if (!known && use.reads != Reads::nothing) sums.addressed_bytes += use.bytes;
  const auto time = kernel_time(speed, use.calls, use.bytes, shares, shared, slowing);
  if (const auto* why = std::get_if<Unavailable>(&time)) return *why;
  const auto [seconds, log_width] = std::get<KernelTime>(time);
  add(forecast, part_of(use.reads), seconds);
  sums.widths += seconds * log_width;
  return std::nullopt;
}

/// Adds up the kernels of a token, without those of experts when `skip_experts`: of a team those of the
/// thread that has most rows, heads and experts, since the others wait for it.
std::optional<Unavailable> add_kernels(const Inputs& inputs, const ServedBytes& served, bool skip_experts,
                                       EcmForecast& forecast, Sums& sums) {
  const auto shared = team_limits(inputs.probed, served, inputs.key.threads);
  if (const auto* why = std::get_if<Unavailable>(&shared)) return *why;
  for (const models::KernelUse& use : inputs.own) {
    if (skip_experts && use.reads == Reads::experts) continue;
    auto why =
        add_kernel(inputs, use, shares_of(served, use.reads), std::get<RateLimits>(shared), forecast, sums);
    if (why) return why;
  }
  return std::nullopt;
}

/// Adds what the threads of a team take to wait for each other at each barrier, and to read there what the
/// others wrote.
std::optional<Unavailable> add_barriers(const Inputs& inputs, EcmForecast& forecast, Sums& sums) {
  const auto barriers = models::handovers(inputs.shape, inputs.key.threads);
  if (barriers.empty()) return std::nullopt;
  const auto cost = barrier_cost(inputs.probed, inputs.key.threads);
  if (const auto* why = std::get_if<Unavailable>(&cost)) return *why;
  double seconds = 0;
  for (const models::Handover& each : barriers) {
    const BarrierTime time = barrier_time(std::get<BarrierCost>(cost), each.bytes);
    seconds += each.count * time.seconds;
    sums.widths += each.count * time.width_s;
  }
  add(forecast, "barriers", seconds);
  return std::nullopt;
}

/// Where all comes from memory, what it costs to begin the runs of weights between experts.
double run_jumps_s(const Inputs& inputs) {
  double seconds = 0;
  for (const models::WeightRun& run : models::weight_runs(inputs.shape)) {
    const auto use = std::find_if(inputs.uses.begin(), inputs.uses.end(), [&](const auto& one) {
      return one.kernel == run.kernel && one.cols == run.cols;
    });
    if (use == inputs.uses.end()) continue;
    const auto speed = kernel_speed(inputs.probed, inputs.key.isa, *use);
    if (!available(speed)) continue;
    seconds +=
        run.count * jump_s(std::get<KernelSpeed>(speed), run.bytes / inputs.key.threads, inputs.streamed());
  }
  return seconds;
}

/// What jumps cost, and after a stream code, vectors and the addresses of what was not measured there.
void add_places(const Inputs& inputs, bool jumps_measured, double addressed_bytes, EcmForecast& forecast) {
  const models::Shape& shape = inputs.shape;
  const double jumps = forecast.experts.dram * shape.experts.top_k * static_cast<double>(shape.blocks.size());
  double jumps_s = harness::evicts_weights(inputs.key.mode) ? run_jumps_s(inputs) : 0;
  if (!jumps_measured) jumps_s += jumps * std::max(jump_seconds(inputs.probed), 0.0);
  if (jumps_s > 0) add(forecast, "jumps", jumps_s);
  if (inputs.key.mode != "evict_stream") return;
  const double first_s = first_calls_s(inputs.probed, inputs.key.isa, inputs.uses);
  if (first_s > 0) add(forecast, "first calls", first_s);
  const double walk_s = page_walk_s(inputs.probed);
  if (inputs.key.page_bytes != small_page_bytes || walk_s <= 0 || addressed_bytes <= 0) return;
  add(forecast, "addresses", addressed_bytes / static_cast<double>(small_page_bytes) * walk_s);
}

/// The experts of a token where kernel_rates measured such ones: what company takes of their hits comes from
/// memory.
double experts_s(const Inputs& inputs, const ServedBytes& served, const ExpertTime& expert) {
  double seconds = expert.seconds;
  const double left = left_beside(inputs, served.constant_from_bytes);
  if (inputs.experts->dram_s > inputs.experts->near_s)
    seconds += expert.hit_ratio * (1 - left) * (inputs.experts->dram_s - inputs.experts->near_s);
  seconds += (1 - expert.hit_ratio * left) * (inputs.memory_ratio - 1) * inputs.experts->dram_s;
  return seconds * inputs.shape.experts.top_k * static_cast<double>(inputs.shape.blocks.size());
}

Reading<EcmForecast> add_up(const Inputs& inputs, ServedBytes served, double token_s) {
  const auto found = time_of_expert(inputs, token_s);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto& expert = std::get<std::optional<ExpertTime>>(found);
  if (expert) served.experts = {0, expert->hit_ratio, 1 - expert->hit_ratio};
  // Of a team each member has experts of its own: then what serves them is known, and not how fast.
  const bool direct = expert && inputs.key.threads == 1;
  lose_hits(served.dense, left_beside(inputs, inputs.lap_bytes));
  lose_hits(served.kv, left_beside(inputs, inputs.lap_bytes));
  lose_hits(served.experts, left_beside(inputs, served.constant_from_bytes));
  EcmForecast forecast;
  forecast.dense = served.dense;
  forecast.experts = served.experts;
  forecast.constant_from_bytes = served.constant_from_bytes;
  forecast.last_cache_bytes = served.last_cache_bytes;
  Sums sums;
  if (auto why = add_kernels(inputs, served, direct, forecast, sums)) return *why;
  if (auto why = add_barriers(inputs, forecast, sums)) return *why;
  if (direct) {
    const double seconds = experts_s(inputs, served, *expert);
    add(forecast, "experts", seconds);
    sums.widths += seconds * inputs.experts->log_width;
    if (inputs.experts->streamed_s <= 0)
      sums.addressed_bytes += models::expert_bytes(inputs.shape) * inputs.shape.experts.top_k *
                              static_cast<double>(inputs.shape.blocks.size());
  }
  add_places(inputs, expert.has_value(), sums.addressed_bytes, forecast);
  const double crowding_width =
      inputs.crowding.points.empty() ? 0 : crowding_at(inputs.crowding, inputs.lap_bytes).log_width;
  forecast.log_width = std::hypot(sums.widths / forecast.seconds, crowding_width);
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

/// What company costs moves within minutes on a host that moves its virtual CPUs, from nothing to as much
/// again, and what comes from memory may be slowed, too, at most as a stream that asks for all of it
/// (docs/forecasts.md): the interval is as wide as the larger of both.
void widen_by_company(Inputs inputs, const HalfLives& half_lives, EcmForecast& forecast) {
  inputs.memory_ratio = std::max(inputs.crowding.points.back().time_ratio, 1.0);
  const auto slowest = settle(inputs, half_lives);
  inputs.memory_ratio = 1;
  inputs.crowding = {};
  const auto fastest = settle(inputs, half_lives);
  const auto *slow = std::get_if<EcmForecast>(&slowest), *alone = std::get_if<EcmForecast>(&fastest);
  if (!slow || !alone) return;
  const double effect = std::max(slow->seconds / forecast.seconds, forecast.seconds / alone->seconds);
  forecast.log_width = std::hypot(forecast.log_width, std::log(std::max(effect, 1.0)));
}

}  // namespace

Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                  const harness::DecodeKey& key) {
  if (key.arithmetic != "int8") return Unavailable{"kernel_rates measures integer kernels alone"};
  Inputs inputs{probed,
                shape,
                key,
                models::token_work(shape, key.position_first, key.position_last),
                models::token_work(shape, key.position_first, key.position_last, key.threads),
                {},
                {},
                0};
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
  if (!forecast) return made;
  if (!inputs.crowding.points.empty()) widen_by_company(inputs, usual, *forecast);
  if (usual.empty()) return made;
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
