#include "harness/residency.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace harness {
namespace {

/// Loads as a machine with ticks of 26 cycles gave them: 52 and 78 cached, 312 and more from memory.
std::vector<int64_t> cached_loads(int lines) {
  std::vector<int64_t> ticks;
  for (int i = 0; i < lines; ++i) ticks.push_back(i % 3 == 0 ? 52 : 78);
  return ticks;
}
std::vector<int64_t> memory_loads(int lines) {
  std::vector<int64_t> ticks;
  for (int i = 0; i < lines; ++i) ticks.push_back(312 + 26 * (i % 5));
  return ticks;
}

const ResidencyCalibration exact{150, 1000, 0, 1000, 0};

TEST(ResidencyCalibration, puts_the_threshold_between_the_two_and_counts_no_errors) {
  const auto found = calibrate_residency(cached_loads(128), memory_loads(64));
  ASSERT_TRUE(available(found)) << std::get<Unavailable>(found).reason;
  const auto& calibration = std::get<ResidencyCalibration>(found);
  EXPECT_GT(calibration.threshold_ticks, 78);
  EXPECT_LT(calibration.threshold_ticks, 312);
  EXPECT_EQ(calibration.cached_lines, 64);
  EXPECT_EQ(calibration.flushed_lines, 32);
  EXPECT_EQ(calibration.cached_missed, 0);
  EXPECT_EQ(calibration.flushed_missed, 0);
}

TEST(ResidencyCalibration, counts_the_lines_that_it_calls_wrong) {
  auto cached = cached_loads(100), flushed = memory_loads(100);
  cached[1] = cached[3] = 900;  // odd positions: the half that judges
  flushed[5] = 52;
  const auto calibration = std::get<ResidencyCalibration>(calibrate_residency(cached, flushed));
  EXPECT_EQ(calibration.cached_missed, 2);
  EXPECT_EQ(calibration.flushed_missed, 1);
}

TEST(ResidencyCalibration, is_unavailable_where_the_timer_is_too_coarse) {
  const std::vector<int64_t> equal(64, 40);
  const auto found = calibrate_residency(equal, equal);
  ASSERT_FALSE(available(found));
  EXPECT_NE(std::get<Unavailable>(found).reason.find("cannot tell"), std::string::npos);
  EXPECT_FALSE(available(calibrate_residency(memory_loads(64), cached_loads(64)))) << "upside down";
  EXPECT_FALSE(available(calibrate_residency(cached_loads(15), memory_loads(64)))) << "too few";
}

TEST(ResidencyCalibration, comes_back_from_params_as_it_was) {
  const ResidencyCalibration calibration{150, 128, 2, 64, 1};
  const auto whole = calibration_params(calibration);
  EXPECT_EQ(std::get<ResidencyCalibration>(read_calibration(whole)), calibration);
  for (const auto& [name, value] : whole) {
    auto params = whole;
    params.erase(name);
    EXPECT_EQ(std::get<Unavailable>(read_calibration(params)).reason, name + " is missing");
  }
  auto impossible = whole;
  impossible["cached_missed"] = int64_t{129};
  EXPECT_FALSE(available(read_calibration(impossible)));
}

TEST(ResidentFraction, holds_the_share_seen_and_narrows_with_lines) {
  const auto few = resident_fraction(exact, {64, 32}), many = resident_fraction(exact, {640, 320});
  EXPECT_NEAR(few.median, 0.5, 1e-12);
  EXPECT_LT(few.low, 0.5);
  EXPECT_GT(few.high, 0.5);
  EXPECT_LT(many.high - many.low, (few.high - few.low) / 2);
  const auto nothing = resident_fraction(exact, {0, 0});
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
}

TEST(ResidentFraction, takes_out_what_is_called_wrong) {
  // Of 1,000 lines 60 % cached; one in ten cached lines is called memory, one in twenty of memory cached.
  const ResidencyCalibration wrong{150, 100'000, 10'000, 100'000, 5'000};
  const auto share = resident_fraction(wrong, {1000, 560});
  EXPECT_NEAR(share.median, 0.6, 1e-9);
  EXPECT_LT(share.low, 0.6);
  EXPECT_GT(share.high, 0.6);
}

TEST(ResidentFraction, covers_the_truth_in_95_of_100_draws) {
  SplitMix64 random(3);
  const auto draw = [&](int64_t lines, double share) {
    int64_t hits = 0;
    for (int64_t i = 0; i < lines; ++i) hits += static_cast<double>(random.below(1'000'000)) < share * 1e6;
    return hits;
  };
  for (const double truth : {0.0, 0.03, 0.3, 0.9}) {
    int covered = 0;
    for (int i = 0; i < 400; ++i) {
      ResidencyCalibration seen{150, 128, draw(128, 0.03), 64, draw(64, 0.02)};
      const int64_t resident = draw(128, truth * 0.97 + (1 - truth) * 0.02);
      const auto share = resident_fraction(seen, {128, resident});
      covered += share.low <= truth && truth <= share.high;
    }
    EXPECT_GE(covered, 380) << truth;
  }
}

TEST(ResidentFraction, proves_a_set_cold_only_with_lines_enough) {
  EXPECT_TRUE(is_cold(exact, {256, 0}));
  EXPECT_TRUE(is_cold(exact, {256, 5}));
  EXPECT_FALSE(is_cold(exact, {256, 40}));
  EXPECT_FALSE(is_cold(exact, {16, 0})) << "nothing was proven";
  EXPECT_FALSE(is_cold(exact, {0, 0}));
}

TEST(ResidencyCrossCheck, compares_misses_per_line_with_the_timed_share) {
  const Interval cold{0.01, 0, 0.03};
  EXPECT_NEAR(std::get<double>(residency_disagreement_points(960, 1000, cold)), 3, 1e-9);
  EXPECT_LT(std::get<double>(residency_disagreement_points(960, 1000, cold)), disagreement_limit_points);
  EXPECT_GT(std::get<double>(residency_disagreement_points(500, 1000, cold)), disagreement_limit_points);
  EXPECT_NEAR(std::get<double>(residency_disagreement_points(1500, 1000, cold)), 1, 1e-9) << "prefetches";
  EXPECT_FALSE(available(residency_disagreement_points(10, 0, cold)));
  EXPECT_FALSE(available(residency_disagreement_points(-1, 10, cold)));
}

}  // namespace
}  // namespace harness
