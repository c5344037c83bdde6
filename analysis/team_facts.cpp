#include "analysis/team_facts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace analysis {
namespace {

void scale(harness::Reading<Fact>& reading, const Fact& factor) {
  const auto* fact = std::get_if<Fact>(&reading);
  if (fact == nullptr) return;
  Fact made = product(*fact, factor, fmt::format("{}; {}", fact->source, factor.source));
  made.verified = fact->verified && factor.verified;
  reading = made;
}

}  // namespace

CoreFacts facts_of_team(CoreFacts core, int threads) {
  if (threads <= 1) return core;
  const double count = threads;
  const Fact own{count, 1, fmt::format("times {} cores", threads), true};
  const Fact shared{
      std::sqrt(count), std::sqrt(count),
      fmt::format("shared by {} cores: between one core's and {} times as much", threads, threads), true};
  for (LevelFacts& level : core.levels) {
    const bool is_own = level.level == "l1" || level.level == "l2";
    scale(level.read_bytes_per_s, is_own ? own : shared);
    if (!is_own) continue;
    level.reported_bytes *= threads;
    if (level.usable_bytes) level.usable_bytes->value *= count;
  }
  scale(core.macs_per_s, own);
  scale(core.attention_macs_per_s, own);
  return core;
}

}  // namespace analysis
