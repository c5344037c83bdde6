#include "analysis/slowdown.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/eviction.hpp"
#include "analysis/probe_series.hpp"
#include "analysis/shared_cache.hpp"
#include "analysis/slowdown_controls.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

using harness::Interval;
using harness::Slowdown;
using harness::SlowdownPart;
using harness::Submission;
using harness::Unavailable;

namespace {

// Three parts at 1 − 0.05 / 3 hold together at 95 % (Bonferroni).
constexpr double part_confidence = 1 - 0.05 / 3;
// An interval that holds "nothing" and reaches beyond this cannot tell nothing from something.
constexpr double tellable_ratio = 1.05;

/// By launch the log of how much longer a token took than in `warm`.
using Costs = std::map<size_t, double>;

/// What is known of one plan.
struct PlanCosts {
  std::map<std::string, Costs> of;  ///< by arm
  bool proven = false;              ///< its A/A control agrees with warm, and its antagonists ran
  bool room = false;                ///< the weights fit beside half of the last-level cache
  bool evicted = true;              ///< no eviction was found to have failed
  bool shared_l2 = false;           ///< stream_llc evicts an L2 that the decode uses
};

Costs difference(const Costs& cost, const Costs& base) {
  Costs left;
  for (const auto& [launch, log_ratio] : cost) {
    const auto found = base.find(launch);
    if (found != base.end()) left[launch] = log_ratio - found->second;
  }
  return left;
}

/// No interval from a single launch.
std::optional<Interval> interval(const Costs& costs, double confidence = part_confidence) {
  if (costs.size() < 2) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [launch, log_ratio] : costs) ratios.push_back(std::exp(log_ratio));
  return harness::log_t_interval(ratios, confidence);
}

const Costs* find(const PlanCosts& plan, const std::string& arm) {
  const auto found = plan.of.find(arm);
  return found == plan.of.end() ? nullptr : &found->second;
}

/// Spans two answers to one question; either may be missing.
std::optional<Interval> span(const std::optional<Interval>& one, const std::optional<Interval>& other) {
  if (!one || !other) return one ? one : other;
  return Interval{std::sqrt(one->median * other->median), std::min(one->low, other->low),
                  std::max(one->high, other->high)};
}

/// Core sharing lies between what spinning and what reading its own L1 costs: the first asks less of a core
/// than a thread that reads memory, the second more.
std::optional<Interval> core_sharing(const PlanCosts& plan) {
  const Costs *spin = find(plan, "spin"), *own_l1 = find(plan, "own_l1");
  return span(spin == nullptr ? std::nullopt : interval(*spin),
              own_l1 == nullptr ? std::nullopt : interval(*own_l1));
}

/// What remains of a cost beyond it.
std::optional<Interval> beyond_core(const PlanCosts& plan, const Costs& cost) {
  const Costs *spin = find(plan, "spin"), *own_l1 = find(plan, "own_l1");
  return span(spin == nullptr ? std::nullopt : interval(difference(cost, *spin)),
              own_l1 == nullptr ? std::nullopt : interval(difference(cost, *own_l1)));
}

bool is_shown(const std::optional<Interval>& ratio) {
  return ratio && ratio->low > 1;
}

bool is_none(const std::optional<Interval>& ratio) {
  return ratio && ratio->low <= 1 && ratio->high >= 1 && ratio->high <= tellable_ratio;
}

SlowdownPart part(const std::optional<Interval>& ratio, const std::string& missing) {
  if (!ratio) return {"cannot_tell", Unavailable{missing}};
  return {is_shown(ratio) ? "shown" : is_none(ratio) ? "none_shown" : "cannot_tell", *ratio};
}

SlowdownPart cannot_tell(const std::optional<Interval>& ratio, const std::string& missing) {
  SlowdownPart made = part(ratio, missing);
  made.word = "cannot_tell";
  return made;
}

/// Of a cost that stays beyond core sharing: bandwidth is what a stream that leaves the weights their room
/// explains, eviction what it does not, up to what flushing costs.
void split_beyond(const PlanCosts& plan, const Costs& cost, const Costs& stream, Slowdown& to) {
  const auto rest = beyond_core(plan, cost), traffic = beyond_core(plan, stream);
  const Costs past_stream = difference(cost, stream);
  const auto past = interval(past_stream);
  const Costs* flush = find(plan, "evict_flush");
  const auto flushed = flush == nullptr ? std::nullopt : interval(*flush);
  if (is_none(flushed)) {  // nothing to lose
    to.eviction = part(flushed, "");
    to.bandwidth = part(rest, "");
    return;
  }
  if (!plan.room) {
    const std::string why =
        "the weights do not fit beside half of the last-level cache: stream_llc evicts, too";
    to.bandwidth = to.eviction = {"cannot_tell", Unavailable{why}};
    return;
  }
  to.eviction = part(past, "too few launches hold stream_llc, too");
  to.bandwidth = part(traffic, "");
  if (past && past->high < 1) {  // the stream costs more than the arm: it would hide what the arm evicts
    to.eviction = cannot_tell(past, "");
    to.bandwidth = part(rest, "");  // at most
  } else if (is_none(past) && is_shown(traffic)) {
    to.bandwidth = part(rest, "");  // its own share: a stream in the cache is faster than one from memory
  } else if (is_none(past)) {
    to.eviction = cannot_tell(past, "");
    to.bandwidth = cannot_tell(rest, "");
  } else if (!is_shown(flushed)) {
    to.eviction = cannot_tell(past, "what flushing costs is not known");
  } else if (is_shown(past) && is_shown(interval(difference(past_stream, *flush)))) {
    to.eviction = part(flushed, "");  // no eviction costs more; the excess is waiting for busy memory
    to.bandwidth = part(beyond_core(plan, difference(cost, *flush)), "");
  }
}

void split_concurrent(const PlanCosts& plan, const Costs& cost, Slowdown& to) {
  to.core_sharing = part(core_sharing(plan), "neither spin nor own_l1 gave a speed");
  const auto rest = beyond_core(plan, cost);
  const Costs* stream = find(plan, "stream_llc");
  if (!rest) {
    to.bandwidth = to.eviction = cannot_tell(rest, "neither spin nor own_l1 gave a speed");
  } else if (!is_shown(rest)) {
    to.bandwidth = to.eviction = part(rest, "");
  } else if (stream == nullptr) {
    to.bandwidth = to.eviction = cannot_tell(std::nullopt, "stream_llc gave no speed");
  } else {
    split_beyond(plan, cost, *stream, to);
  }
}

/// Traffic and lines lost from a shared L2 cost together what stream_llc costs: the number stays, the name
/// does not.
void doubt_bandwidth(const PlanCosts& plan, Slowdown& to) {
  if (plan.shared_l2 && to.bandwidth.word == "shown") to.bandwidth.word = "cannot_tell";
}

void split_alone(const PlanCosts& plan, const Costs& cost, Slowdown& to) {
  to.core_sharing = to.bandwidth = {"not_applicable", Unavailable{"no other thread runs"}};
  to.eviction = part(interval(cost), "fewer than two launches");
  if (!plan.evicted) to.eviction.word = "cannot_tell";
}

bool is_split(const std::string& mode) {
  return harness::evicts_weights(mode) || mode == "evict_read" || mode == "evict_write" ||
         mode == "stream_dram";
}

/// An antagonist that hardly ran, or that shared no cache, looks like one without effect, and its control
/// like a quiet one.
bool has_antagonist_without_effect(const Submission& submission, size_t plan,
                                   const std::optional<double>& memory_ns) {
  for (const auto& launch : submission.launches) {
    if (launch.plan != static_cast<int>(plan)) continue;
    if (std::any_of(launch.series.begin(), launch.series.end(), [&](const auto& series) {
          return !starvation(series).empty() || (memory_ns && shared_no_cache(series, *memory_ns));
        }))
      return true;
  }
  return false;
}

PlanCosts collect_costs(const Submission& submission, const std::vector<ArmRecord>& arms,
                        const std::vector<harness::ArmRatio>& ratios, size_t plan,
                        const std::optional<double>& memory_ns) {
  PlanCosts costs;
  const ArmRecord* warm = nullptr;
  for (const auto& arm : arms) {
    if (arm.plan == plan && arm.arm == "warm") warm = &arm;
  }
  if (warm == nullptr) return costs;
  for (const auto& arm : arms) {
    if (arm.plan != plan || arm.arm == "warm") continue;
    for (const auto& own : arm.launches) {
      for (const auto& base : warm->launches) {
        if (base.launch == own.launch)
          costs.of[arm.arm][own.launch] = std::log(own.block_median_ns / base.block_median_ns);
      }
    }
  }
  for (const auto& ratio : ratios) {
    if (ratio.name != "aa/warm" || ratio.key != warm->key) continue;
    costs.proven = ratio.launches >= 2 && ratio.speed_ratio.low <= 1 && ratio.speed_ratio.high >= 1;
    if (!costs.proven) break;
  }
  if (has_antagonist_without_effect(submission, plan, memory_ns)) costs.proven = false;
  const harness::Cache* llc = last_level_cache(submission.machine);
  costs.room = llc != nullptr && 2 * plan_weight_bytes(submission, plan) <= static_cast<double>(llc->bytes);
  return costs;
}

}  // namespace

std::vector<Slowdown> derive_slowdowns(const Submission& submission, const std::vector<ArmRecord>& arms,
                                       const std::vector<harness::ArmRatio>& ratios) {
  std::vector<Slowdown> slowdowns;
  const auto& plans = submission.plans;
  if (std::none_of(plans.begin(), plans.end(), has_control)) return slowdowns;
  const auto memory_ns = memory_latency_ns(submission);
  for (const auto& arm : arms) {
    if (!is_split(arm.key.mode)) continue;
    if (!harness::evicts_weights(arm.key.mode) && !has_control(plans[arm.plan])) continue;
    PlanCosts plan = collect_costs(submission, arms, ratios, arm.plan, memory_ns);
    const Costs* cost = find(plan, arm.arm);
    if (cost == nullptr) continue;
    const auto total = interval(*cost, 0.95);
    if (!total) continue;
    Slowdown made;
    made.arm = arm.arm;
    made.key = arm.key;
    made.launches = static_cast<int>(cost->size());
    made.time_ratio = *total;
    if (harness::evicts_weights(arm.key.mode)) {
      const auto verdict = eviction_verdict(submission, arm.plan, arm.arm, arm.key.mode);
      plan.evicted = !harness::available(verdict) || std::get<bool>(verdict);
      split_alone(plan, *cost, made);
    } else {
      plan.shared_l2 = evicts_shared_l2(submission, arm.key);
      split_concurrent(plan, *cost, made);
      doubt_bandwidth(plan, made);
    }
    if (!plan.proven) {
      for (SlowdownPart* each : {&made.core_sharing, &made.bandwidth, &made.eviction}) {
        if (each->word != "not_applicable") each->word = "cannot_tell";
      }
    }
    slowdowns.push_back(std::move(made));
  }
  return slowdowns;
}

}  // namespace analysis
