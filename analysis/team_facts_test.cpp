#include "analysis/team_facts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

CoreFacts one_core() {
  CoreFacts core;
  const auto level = [](const char* name, int64_t bytes, double rate) {
    LevelFacts made;
    made.level = name;
    made.reported_bytes = bytes;
    if (bytes > 0) made.usable_bytes = Fact{static_cast<double>(bytes), 1.1, "size", true};
    made.read_bytes_per_s = Fact{rate, 1.2, "rate", true};
    return made;
  };
  core.levels = {level("l2", 1 << 20, 100e9), level("l3", 32 << 20, 50e9), level("dram", 0, 20e9)};
  core.macs_per_s = Fact{1e11, 1.5, "prior", true};
  core.values_per_s = Fact{1e9, 1.5, "prior", true};
  return core;
}

double rate(const LevelFacts& level) {
  return std::get<Fact>(level.read_bytes_per_s).value;
}

TEST(TeamFacts, own_levels_and_products_are_as_many_times_as_large_and_fast_and_vectors_are_not) {
  const CoreFacts team = facts_of_team(one_core(), 4);
  EXPECT_EQ(team.levels[0].reported_bytes, 4 << 20);
  EXPECT_DOUBLE_EQ(team.levels[0].usable_bytes->value, 4 << 20);
  EXPECT_DOUBLE_EQ(rate(team.levels[0]), 400e9);
  EXPECT_DOUBLE_EQ(std::get<Fact>(team.macs_per_s).value, 4e11);
  EXPECT_DOUBLE_EQ(std::get<Fact>(team.values_per_s).value, 1e9);
}

TEST(TeamFacts, a_shared_level_reaches_from_one_cores_rate_to_all_of_them) {
  const CoreFacts team = facts_of_team(one_core(), 4);
  const Fact l3 = std::get<Fact>(team.levels[1].read_bytes_per_s);
  EXPECT_EQ(team.levels[1].reported_bytes, 32 << 20);
  EXPECT_DOUBLE_EQ(l3.value, 100e9);
  EXPECT_LE(l3.value / l3.spread, 50e9);
  EXPECT_GE(l3.value * l3.spread, 200e9);
  EXPECT_NE(l3.source.find("shared by 4 cores"), std::string::npos) << l3.source;
}

TEST(TeamFacts, one_thread_and_what_is_not_known_stay_as_they_are) {
  CoreFacts core = one_core();
  core.macs_per_s = harness::Unavailable{"unknown"};
  EXPECT_DOUBLE_EQ(rate(facts_of_team(core, 1).levels[1]), 50e9);
  EXPECT_FALSE(harness::available(facts_of_team(core, 8).macs_per_s));
}

}  // namespace
}  // namespace analysis
