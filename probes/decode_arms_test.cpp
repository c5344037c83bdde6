#include "probes/decode_arms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/error.hpp"

namespace probes {
namespace {

TEST(DecodeArms, the_second_half_of_the_order_mirrors_the_first) {
  const std::vector<std::string> arms{"warm", "aa", "evict_flush", "evict_read"};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto order = arm_order(arms, seed);
    ASSERT_EQ(order.size(), 2 * arms.size());
    EXPECT_TRUE(std::equal(order.begin(), order.end(), order.rbegin()));
    const std::set<std::string> first_half(order.begin(), order.begin() + 4);
    EXPECT_EQ(first_half, std::set<std::string>(arms.begin(), arms.end()));
  }
}

TEST(DecodeArms, two_arms_run_abba_or_baab) {
  std::set<std::vector<std::string>> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) seen.insert(arm_order({"a", "b"}, seed));
  EXPECT_EQ(seen, (std::set<std::vector<std::string>>{{"a", "b", "b", "a"}, {"b", "a", "a", "b"}}));
}

TEST(DecodeArms, no_arms_give_no_order) {
  EXPECT_TRUE(arm_order({}, 1).empty());
}

TEST(DecodeArms, samples_are_the_blocks_of_both_passes_with_the_short_last_one) {
  harness::Plan plan;
  plan.position_first = 65;
  plan.position_last = 1023;
  EXPECT_EQ(timed_positions(plan), 959);
  EXPECT_EQ(samples_per_arm(plan), 60);
  plan.position_first = plan.position_last = 7;
  EXPECT_EQ(samples_per_arm(plan), 2);
  plan.position_first = 0;
  plan.position_last = 63;
  EXPECT_EQ(samples_per_arm(plan), 4);
  plan.position_last = 64;
  EXPECT_EQ(samples_per_arm(plan), 6);
}

TEST(DecodeArms, the_control_arm_is_warm_under_another_name) {
  EXPECT_STREQ(find_arm("aa").mode, "warm");
  EXPECT_EQ(find_arm("aa").condition, Condition::none);
  EXPECT_EQ(find_arm("warm").condition, Condition::none);
}

TEST(DecodeArms, every_other_arm_is_the_mode_of_its_name_with_a_condition_of_its_own) {
  std::set<std::pair<Condition, Antagonism>> seen;
  for (const std::string id : {"evict_flush", "evict_stream", "evict_read", "evict_write", "spin", "own_l1",
                               "stream_llc", "stream_dram"}) {
    EXPECT_EQ(find_arm(id).mode, id);
    EXPECT_NE(find_arm(id).condition, Condition::none) << id;
    EXPECT_TRUE(seen.insert({find_arm(id).condition, find_arm(id).antagonism}).second) << id;
    EXPECT_EQ(is_concurrent(find_arm(id)), id != "evict_flush" && id != "evict_stream") << id;
    EXPECT_EQ(is_control(find_arm(id)), id.rfind("evict", 0) != 0) << id;
  }
}

TEST(DecodeArms, single_positions_are_the_middles_of_equal_parts_of_the_range) {
  harness::Plan plan;
  plan.position_first = 65;
  plan.position_last = 1023;
  time_single_positions(plan);
  ASSERT_EQ(plan.positions.size(), 32U);
  EXPECT_EQ(plan.position_first, 79);
  EXPECT_EQ(plan.position_last, 1009);
  EXPECT_EQ(plan.positions.front(), 79);
  EXPECT_EQ(plan.positions.back(), 1009);
  int sum = 0;
  for (size_t i = 0; i < plan.positions.size(); ++i) {
    sum += plan.positions[i];
    if (i == 0) continue;
    EXPECT_GE(plan.positions[i] - plan.positions[i - 1], 29);
    EXPECT_LE(plan.positions[i] - plan.positions[i - 1], 30);
  }
  EXPECT_NEAR(sum / 32.0, (65 + 1023) / 2.0, 1.0);
  EXPECT_EQ(plan.block_tokens, 1);
  EXPECT_EQ(timed_positions(plan), 32);
  EXPECT_EQ(plan.samples_per_arm, 64);
}

TEST(DecodeArms, a_short_range_is_timed_whole) {
  harness::Plan plan;
  plan.position_first = 7;
  plan.position_last = 9;
  time_single_positions(plan);
  EXPECT_EQ(plan.positions, (std::vector<int>{7, 8, 9}));
  EXPECT_EQ(plan.samples_per_arm, 6);
}

TEST(DecodeArms, samples_of_a_list_are_its_blocks) {
  harness::Plan plan;
  plan.position_first = 3;
  plan.position_last = 90;
  plan.positions = {3, 20, 21, 70, 90};
  plan.block_tokens = 2;
  EXPECT_EQ(timed_positions(plan), 5);
  EXPECT_EQ(samples_per_arm(plan), 6);
}

TEST(DecodeArms, an_unknown_arm_is_a_usage_error_that_names_the_nearest) {
  try {
    find_arm("evict_flsh");
    FAIL() << "nothing was thrown";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'evict_flush'"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace probes
