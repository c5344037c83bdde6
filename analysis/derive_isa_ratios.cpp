#include <algorithm>
#include <utility>

#include "analysis/derive_parts.hpp"

namespace analysis {

using harness::Plan;
using harness::Submission;

namespace {

/// One may hold more arms: both have `warm`, and a pass begins with a warm-up of its own.
bool differ_in_isa_alone(Plan one, const Plan& other) {
  if (one.isa == other.isa) return false;
  one.isa = other.isa;
  one.arms = other.arms;
  return one == other;
}

const ArmRecord* find_warm(const std::vector<ArmRecord>& arms, size_t plan) {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const auto& each) { return each.plan == plan && each.arm == "warm"; });
  return found == arms.end() ? nullptr : &*found;
}

/// Speed ratios of the rounds in which both plans gave a speed. Were a plan to have several launches in one
/// round, its first would count: a round is one launch of each.
std::vector<double> round_ratios(const ArmRecord& own, const ArmRecord& base) {
  std::vector<double> ratios;
  std::vector<int> rounds;
  for (const ArmLaunch& launch : own.launches) {
    if (std::find(rounds.begin(), rounds.end(), launch.round) != rounds.end()) continue;
    const auto paired = std::find_if(base.launches.begin(), base.launches.end(),
                                     [&](const auto& each) { return each.round == launch.round; });
    if (paired == base.launches.end()) continue;
    rounds.push_back(launch.round);
    ratios.push_back(paired->block_median_ns / launch.block_median_ns);
  }
  return ratios;
}

}  // namespace

std::vector<harness::ArmRatio> derive_isa_ratios(const Submission& submission,
                                                 const std::vector<ArmRecord>& arms) {
  std::vector<harness::ArmRatio> ratios;
  const std::vector<Plan>& plans = submission.plans;
  for (size_t p = 1; p < plans.size(); ++p) {
    // The first of the plans that differ in ISA alone is the one that was chosen.
    size_t first = 0;
    while (first < p && !differ_in_isa_alone(plans[first], plans[p])) ++first;
    if (first == p) continue;
    const ArmRecord *own = find_warm(arms, first), *base = find_warm(arms, p);
    if (own == nullptr || base == nullptr) continue;
    const std::vector<double> of_rounds = round_ratios(*own, *base);
    if (of_rounds.size() < 2) continue;  // one round has no spread, hence no interval
    ratios.push_back({plans[first].isa + "/" + plans[p].isa, own->key, static_cast<int>(of_rounds.size()),
                      harness::log_t_interval(of_rounds, 0.95)});
  }
  return ratios;
}

}  // namespace analysis
