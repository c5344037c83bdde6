#include "probes/decode_arms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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
  EXPECT_FALSE(find_arm("aa").flushes || find_arm("aa").walks);
  EXPECT_FALSE(find_arm("warm").flushes || find_arm("warm").walks);
  EXPECT_TRUE(find_arm("evict_flush").flushes);
  EXPECT_TRUE(find_arm("evict_read").walks);
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
