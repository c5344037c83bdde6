#include "analysis/core_time.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/expert_residency.hpp"

namespace analysis {

using harness::Reading;
using harness::Unavailable;

namespace {

/// The share of a token's weight bytes that caches up to this size serve.
double resident_share(const Work& work, double cache_bytes) {
  if (work.weight_bytes <= 0) return 1;
  if (work.pool_bytes <= 0) return cyclic_residency(work.weight_bytes, cache_bytes);
  if (cache_bytes <= work.dense_bytes)
    return cyclic_residency(work.dense_bytes, cache_bytes) * work.dense_bytes / work.weight_bytes;
  const double drawn = work.weight_bytes - work.dense_bytes;
  const auto found = expert_hit_ratio({work.dense_bytes, work.pool_bytes, drawn, work.experts, work.top_k},
                                      cache_bytes, work.routing);
  const double* share = std::get_if<double>(&found);
  return (work.dense_bytes + drawn * (share == nullptr ? 0 : *share)) / work.weight_bytes;
}

const Fact* known(const Reading<Fact>& reading) {
  return std::get_if<Fact>(&reading);
}

/// Adds a reason to `why` unless the fact is there.
bool missing(const Reading<Fact>& reading, std::string& why) {
  if (const auto* reason = std::get_if<Unavailable>(&reading)) why = reason->reason;
  return known(reading) == nullptr;
}

/// The parts of a token's time before those that overlap are joined. Needs that no fact is missing.
struct Parts {
  std::vector<double> weights;  ///< per level, seconds
  double macs = 0, kv = 0, attention = 0, values = 0;
};

Parts parts_of(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares) {
  Parts parts;
  double weight_seconds = 0;
  for (size_t i = 0; i < core.levels.size(); ++i) {
    const Fact* rate = known(core.levels[i].read_bytes_per_s);
    parts.weights.push_back(rate == nullptr ? 0 : shares[i].share * work.weight_bytes / rate->value);
    weight_seconds += parts.weights.back();
  }
  if (!work.knows_compute) return parts;
  parts.macs = work.macs / known(core.macs_per_s)->value;
  // K and V lie where the weights lie, near enough.
  parts.kv = work.kv_bytes * weight_seconds / work.weight_bytes;
  parts.attention = work.attention_macs / known(core.attention_macs_per_s)->value;
  parts.values = work.values / known(core.values_per_s)->value;
  return parts;
}

}  // namespace

bool is_cache(const LevelFacts& level) {
  return level.level != "dram";
}

double cyclic_residency(double bytes, double cache_bytes) {
  if (cache_bytes <= 0) return 0;
  const double ratio = bytes / cache_bytes;
  if (ratio <= 1) return 1;
  // The fixed point below 1 attracts: 200 steps reach it to 1e-6 from ratio 1.05 on, and near 1 it is near 1.
  double h = 0;
  for (int i = 0; i < 200; ++i) h = std::exp(-ratio * (1 - h));
  return h;
}

std::vector<LevelShare> shares_of(const CoreFacts& core, const Work& work) {
  std::vector<LevelShare> shares;
  double served = 0;
  for (const LevelFacts& level : core.levels) {
    double upto = 1;
    if (is_cache(level))
      upto = std::max(served, resident_share(work, level.usable_bytes->value - work.kv_bytes));
    shares.push_back({level.level, upto - served});
    served = upto;
  }
  return shares;
}

std::string missing_fact(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares) {
  std::string why;
  for (size_t i = 0; i < core.levels.size(); ++i) {
    if (shares[i].share > 0 && missing(core.levels[i].read_bytes_per_s, why)) return why;
  }
  if (!work.knows_compute) return "";
  for (const auto* fact : {&core.macs_per_s, &core.attention_macs_per_s, &core.values_per_s}) {
    if (missing(*fact, why)) return why;
  }
  return "";
}

double token_seconds(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares) {
  const Parts parts = parts_of(core, work, shares);
  double weights = 0;
  for (const double seconds : parts.weights) weights += seconds;
  return core.formula.value *
         (std::hypot(weights, parts.macs) + std::hypot(parts.kv, parts.attention) + parts.values);
}

std::vector<Term> terms_of(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares) {
  const Parts parts = parts_of(core, work, shares);
  std::vector<Term> terms;
  for (size_t i = 0; i < core.levels.size(); ++i)
    terms.push_back({"weights from " + core.levels[i].level, parts.weights[i]});
  terms.push_back({"multiply-adds", parts.macs});
  terms.push_back({"K and V", std::hypot(parts.kv, parts.attention)});
  terms.push_back({"norms and activations", parts.values});
  terms.erase(std::remove_if(terms.begin(), terms.end(), [](const Term& term) { return term.seconds <= 0; }),
              terms.end());
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.seconds > b.seconds; });
  return terms;
}

}  // namespace analysis
