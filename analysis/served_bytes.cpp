#include "analysis/served_bytes.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/derive_parts.hpp"
#include "analysis/expert_residency.hpp"
#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;
using models::Reads;

namespace {

double bytes_of(const std::vector<models::KernelUse>& uses, Reads reads) {
  double bytes = 0;
  for (const auto& use : uses) bytes += use.reads == reads ? use.bytes : 0;
  return bytes;
}

/// The share of a level's lines that are left after seconds in which nobody touched them.
double kept_after(double seconds, const HalfLives& half_lives, const std::string& level) {
  const auto found = half_lives.find(level);
  return found == half_lives.end() || found->second <= 0 ? 1 : std::exp2(-seconds / found->second);
}

Reading<LevelShares> expert_shares(const std::vector<ServingLevel>& levels, const ExpertPool& pool,
                                   const std::string& routing, const HalfLives& half_lives, double token_s) {
  LevelShares shares;
  double nearer = 0;
  for (const ServingLevel& level : levels) {
    if (level.level == "dram") break;
    const double kept = kept_after(token_s, half_lives, level.level);
    const auto hit = expert_hit_ratio(pool, level.holds_bytes, routing, kept);
    if (const auto* why = std::get_if<Unavailable>(&hit)) return *why;
    (level.level == "l2" ? shares.l2 : shares.l3) = std::max(std::get<double>(hit) - nearer, 0.0);
    nearer = std::max(nearer, std::get<double>(hit));
  }
  shares.dram = 1 - nearer;
  return shares;
}

/// What each thread's own L2 serves of its part; what it does not is the shared caches' as it is of all.
LevelShares shares_of_team(const std::vector<ServingLevel>& levels, const harness::Curve& curve, double bytes,
                           int threads) {
  LevelShares all = cyclic_shares(levels, curve, bytes);
  if (threads == 1 || levels.front().level != "l2") return all;
  const double own = std::max(cyclic_shares(levels, curve, bytes / threads).l2, all.l2);
  const double beyond = all.l3 + all.dram;
  if (beyond <= 0) return all;
  return {own, (1 - own) * all.l3 / beyond, (1 - own) * all.dram / beyond};
}

/// What every token reads is left alone from one token to the next. The read curve has seen that for as long
/// as its own lap over so many bytes lasts; what a longer token loses beyond comes from memory.
void lose_meanwhile(LevelShares& shares, double idle_s, const HalfLives& half_lives) {
  const double lost = shares.l3 * (1 - kept_after(std::max(idle_s, 0.0), half_lives, "l3"));
  shares.l3 -= lost;
  shares.dram += lost;
}

/// Everything as warm; K and V share the fate of the weights that pass between two reads of them.
Reading<ServedBytes> served_warm(const harness::Submission& probed,
                                 const std::vector<models::KernelUse>& uses, const models::Shape& shape,
                                 const harness::DecodeKey& key, double token_s, const HalfLives& half_lives) {
  const auto found = find_curve(probed, "probes", "load_bandwidth", harness::Spread::of_next_90);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto& curve = std::get<harness::Curve>(found);
  const auto known = serving_levels(probed.machine, curve);
  if (const auto* why = std::get_if<Unavailable>(&known)) return *why;
  const auto& levels = std::get<std::vector<ServingLevel>>(known);
  const double kv = bytes_of(uses, Reads::kv), visited = bytes_of(uses, Reads::experts);
  const double weights = static_cast<double>(models::cost(shape).weight_bytes_per_token);
  ServedBytes served;
  served.dense = shares_of_team(levels, curve, weights + kv, key.threads);
  const double lap_s = (weights + kv) / harness::read_at(curve, weights + kv).value.median;
  lose_meanwhile(served.dense, token_s - lap_s, half_lives);
  served.kv = served.dense;
  served.last_cache_bytes = levels[levels.size() - 2].holds_bytes;
  if (shape.experts.count == 0) return served;
  const ExpertPool pool{weights - visited + kv, models::pool_bytes(shape), visited, shape.experts.count,
                        shape.experts.top_k};
  served.constant_from_bytes = pool.dense_bytes + pool.pool_bytes;
  const auto experts = expert_shares(levels, pool, key.routing, half_lives, token_s);
  if (const auto* why = std::get_if<Unavailable>(&experts)) return *why;
  served.experts = std::get<LevelShares>(experts);
  return served;
}

}  // namespace

std::map<std::string, harness::Interval> half_lives_s(const harness::Submission& probed) {
  std::map<std::string, harness::Interval> lives;
  for (const harness::RetentionEstimate& estimate : derive_retention(probed)) {
    const auto* ns = std::get_if<harness::Interval>(&estimate.half_life_ns);
    if (ns)
      lives.try_emplace(estimate.level,
                        harness::Interval{ns->median * 1e-9, ns->low * 1e-9, ns->high * 1e-9});
  }
  return lives;
}

Reading<ServedBytes> served_bytes(const harness::Submission& probed,
                                  const std::vector<models::KernelUse>& uses, const models::Shape& shape,
                                  const harness::DecodeKey& key, double token_s,
                                  const HalfLives& half_lives) {
  if (key.mode == "evict_stream") return ServedBytes{all_from_dram, all_from_dram, all_from_dram};
  if (key.mode == "evict_flush") return ServedBytes{all_from_dram, all_from_dram, LevelShares{1, 0, 0}};
  return served_warm(probed, uses, shape, key, token_s, half_lives);
}

double hits_left(const harness::Submission& probed, double bytes, double time_ratio) {
  const auto found = find_curve(probed, "probes", "load_bandwidth", harness::Spread::of_next_90);
  if (!available(found)) return 1;
  const auto levels = serving_levels(probed.machine, std::get<harness::Curve>(found));
  if (!available(levels)) return 1;
  return hits_left(std::get<std::vector<ServingLevel>>(levels), std::get<harness::Curve>(found), bytes,
                   time_ratio);
}

}  // namespace analysis
