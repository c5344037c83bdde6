#include <algorithm>
#include <string>
#include <utility>

#include "analysis/derive_parts.hpp"

namespace analysis {

using harness::Plan;
using harness::Submission;

namespace {

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? "_thread" : "_threads");
}

std::string pages_text(int64_t page_bytes) {
  if (page_bytes == 4096) return "small_pages";
  if (page_bytes == int64_t{2} << 20) return "huge_pages";
  return std::to_string(page_bytes) + "_byte_pages";
}

/// Names the ratio of two plans that differ in ISA, threads or pages alone; "" for any others. One may hold
/// more arms: both have `warm`, and a pass begins with a warm-up of its own.
std::string name_of_ratio(const Plan& one, const Plan& other) {
  Plan alike = one;
  alike.arms = other.arms;
  if (one.isa != other.isa) {
    alike.isa = other.isa;
    return alike == other ? one.isa + "/" + other.isa : "";
  }
  if (one.threads != other.threads) {
    alike.threads = other.threads;
    return alike == other ? threads_text(one.threads) + "/" + threads_text(other.threads) : "";
  }
  if (one.page_bytes == other.page_bytes) return "";
  alike.page_bytes = other.page_bytes;
  return alike == other ? pages_text(one.page_bytes) + "/" + pages_text(other.page_bytes) : "";
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
    // The first of the plans that differ in one thing alone is the one that was chosen.
    size_t first = 0;
    while (first < p && name_of_ratio(plans[first], plans[p]).empty()) ++first;
    if (first == p) continue;
    const ArmRecord *own = find_warm(arms, first), *base = find_warm(arms, p);
    if (own == nullptr || base == nullptr) continue;
    const std::vector<double> of_rounds = round_ratios(*own, *base);
    if (of_rounds.size() < 2) continue;  // one round has no spread, hence no interval
    ratios.push_back({name_of_ratio(plans[first], plans[p]), own->key, static_cast<int>(of_rounds.size()),
                      harness::log_t_interval(of_rounds, 0.95)});
  }
  return ratios;
}

}  // namespace analysis
