#include "harness/line_looks.hpp"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

const ResidencyCalibration sure{156, 10'000, 0, 10'000, 0};

std::vector<LineCount> looks(const std::vector<int64_t>& resident) {
  std::vector<LineCount> made;
  for (const int64_t count : resident) made.push_back({32, count});
  return made;
}

TEST(LineLooks, are_written_in_one_character_each_and_read_back) {
  const std::vector<int64_t> counts{0, 9, 10, 32, 35};
  EXPECT_EQ(look_digits(counts), "09awz");
  EXPECT_EQ(std::get<std::vector<int64_t>>(read_look_digits("09awz")), counts);
  for (const char* wrong : {"", "A", "1 2", "-1"}) EXPECT_FALSE(available(read_look_digits(wrong))) << wrong;
}

TEST(LineLooks, that_disagree_are_less_sure_than_as_many_lines_that_agree) {
  const auto alike = share_of_looks(sure, looks({16, 16, 16, 16, 16}));
  const auto apart = share_of_looks(sure, looks({0, 32, 16, 0, 32}));
  EXPECT_NEAR(alike.median, 0.5, 0.01);
  EXPECT_NEAR(apart.median, 0.5, 0.01);
  EXPECT_GT(apart.high - apart.low, 3 * (alike.high - alike.low));
}

TEST(LineLooks, that_agree_by_luck_are_no_surer_than_their_lines) {
  const auto all = share_of_looks(sure, looks({32, 32, 32, 32, 32}));
  EXPECT_EQ(all.median, 1);
  EXPECT_LT(all.low, 0.99);
  EXPECT_EQ(all.high, 1);
  const auto none = share_of_looks(sure, looks({0, 0, 0, 0, 0}));
  EXPECT_EQ(none.low, 0);
  EXPECT_GT(none.high, 0.01);
}

TEST(LineLooks, are_corrected_for_wrong_calls) {
  const ResidencyCalibration poor{156, 1000, 100, 1000, 100};  // one in ten wrong, either way
  EXPECT_NEAR(share_of_looks(poor, looks({16, 16, 16})).median, 0.5, 1e-9);
  EXPECT_NEAR(share_of_looks({156, 1000, 0, 1000, 100}, looks({16, 16, 16})).median, 0.4 / 0.9, 1e-9);
  const auto few = share_of_looks({156, 16, 0, 16, 0}, looks({16, 16, 16})),
             many = share_of_looks(sure, looks({16, 16, 16}));
  EXPECT_GT(few.high - few.low, many.high - many.low) << "its error rates are less sure";
}

TEST(LineLooks, of_one_round_alone_tell_nothing_of_others) {
  EXPECT_EQ(share_of_looks(sure, looks({16})), (Interval{0.5, 0, 1}));
  EXPECT_EQ(share_beyond_half(sure, looks({16}), looks({32})), (Interval{0, -1, 1}));
}

TEST(LineLooks, are_held_against_half_of_the_first_round_by_round) {
  // Rounds that differ in how much was there at first, and lose half of it each.
  const auto paired = share_beyond_half(sure, looks({16, 8, 12, 14, 10}), looks({32, 16, 24, 28, 20}));
  EXPECT_NEAR(paired.median, 0, 1e-9);
  const auto mixed = share_beyond_half(sure, looks({16, 8, 12, 14, 10}), looks({16, 32, 20, 24, 28}));
  EXPECT_GT(mixed.high - mixed.low, 1.5 * (paired.high - paired.low));
}

TEST(LineLooks, prove_a_set_cold_only_when_rounds_agree) {
  EXPECT_TRUE(is_cold(sure, looks({0, 0, 1, 0, 0})));
  EXPECT_FALSE(is_cold(sure, looks({0, 0, 12, 0, 0})));
  EXPECT_FALSE(is_cold(sure, std::vector<LineCount>{}));
  EXPECT_TRUE(is_cold(sure, std::vector<LineCount>{{160, 1}})) << "a sum alone, as old documents hold it";
  EXPECT_FALSE(is_cold(sure, std::vector<LineCount>{{160, 12}}));
}

}  // namespace
}  // namespace harness
