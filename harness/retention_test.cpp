#include "harness/retention.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

constexpr double ms = 1e6;

/// Delays as the probe spins them, and an exponential decay with that half-life.
std::vector<RetentionPoint> decay(double half_life_ms, double width = 0.05) {
  std::vector<RetentionPoint> points;
  for (const double delay_ms : {0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0}) {
    const double left = std::exp2(-delay_ms / half_life_ms);
    points.push_back({static_cast<int64_t>(delay_ms * ms),
                      {left, std::max(0.0, left - width), std::min(1.0, left + width)}});
  }
  return points;
}

TEST(Retention, finds_the_half_life_of_an_exponential_decay_inside_its_interval) {
  for (const double half_life_ms : {1.5, 4.0, 12.0, 25.0, 60.0}) {
    const auto found = find_half_life(decay(half_life_ms));
    ASSERT_TRUE(available(found.half_life_ns)) << half_life_ms;
    const auto& half_life = std::get<Interval>(found.half_life_ns);
    EXPECT_NEAR(half_life.median / ms, half_life_ms, 0.1 * half_life_ms);
    EXPECT_LE(half_life.low / ms, half_life_ms);
    EXPECT_GE(half_life.high / ms, half_life_ms);
    EXPECT_FALSE(found.longer_than_ns);
  }
}

TEST(Retention, where_nothing_decays_there_is_a_lower_bound_and_no_number) {
  const auto found = find_half_life(decay(1e9));
  ASSERT_FALSE(available(found.half_life_ns));
  EXPECT_EQ(found.longer_than_ns, 100 * ms);
  EXPECT_NE(std::get<Unavailable>(found.half_life_ns).reason.find("longer than 100.0 ms"), std::string::npos);
}

TEST(Retention, an_end_that_was_not_surely_seen_makes_a_bound) {
  // 45 % left at 100 ms, ± 10 points: the middle crosses, the upper curve does not.
  const auto found = find_half_life(decay(87, 0.1));
  ASSERT_FALSE(available(found.half_life_ns));
  ASSERT_TRUE(found.longer_than_ns);
  EXPECT_LT(*found.longer_than_ns, 87 * ms);
  EXPECT_GT(*found.longer_than_ns, 50 * ms);
}

TEST(Retention, a_point_that_rises_by_chance_is_no_recovery) {
  auto points = decay(12);
  points[6].fraction = {0.9, 0.85, 0.95};  // 15 ms
  const auto found = find_half_life(points);
  ASSERT_TRUE(available(found.half_life_ns));
  EXPECT_GT(std::get<Interval>(found.half_life_ns).median, 10 * ms);
  EXPECT_LT(std::get<Interval>(found.half_life_ns).median, 30 * ms);
}

TEST(Retention, half_is_half_of_what_was_there) {
  auto points = decay(10, 0.02);
  for (auto& point : points)
    point.fraction = {0.6 * point.fraction.median, 0.6 * point.fraction.low, 0.6 * point.fraction.high};
  EXPECT_NEAR(std::get<Interval>(find_half_life(points).half_life_ns).median, 10 * ms, 1 * ms);
}

TEST(Retention, cannot_tell_without_a_set_to_lose) {
  auto points = decay(10);
  points[0].fraction.median = 0.4;
  EXPECT_FALSE(available(find_half_life(points).half_life_ns));
  EXPECT_FALSE(find_half_life(points).longer_than_ns);
  points.resize(2);
  EXPECT_FALSE(available(find_half_life(points).half_life_ns));
}

TEST(Retention, laps_between_warm_and_cold_show_a_share) {
  const std::vector<double> laps{100, 150, 200};
  const auto share = std::get<Interval>(fraction_by_laps(laps, 100, 200));
  EXPECT_EQ(share.median, 0.5);
  EXPECT_EQ(share.low, 0);
  EXPECT_EQ(share.high, 1);
  EXPECT_EQ(std::get<Interval>(fraction_by_laps(std::vector<double>{90, 80}, 100, 200)).median, 1);
  EXPECT_FALSE(available(fraction_by_laps(laps, 190, 200)));
  EXPECT_FALSE(available(fraction_by_laps({}, 100, 200)));
}

TEST(Retention, weights_are_warm_when_a_lap_is_shorter_than_half_a_half_life) {
  const Retention ten_ms{Interval{10 * ms, 8 * ms, 12 * ms}, std::nullopt};
  const auto warm = [](double bytes, const Retention& retention) {
    return std::get<std::optional<bool>>(stays_warm(bytes, 10e9, retention));
  };
  EXPECT_EQ(warm(2e6, ten_ms), true);    // 0.2 ms
  EXPECT_EQ(warm(49e6, ten_ms), true);   // 4.9 ms
  EXPECT_EQ(warm(51e6, ten_ms), false);  // 5.1 ms
  const Retention bound{Unavailable{"longer than 10 ms"}, 10 * ms};
  EXPECT_EQ(warm(2e6, bound), true);
  EXPECT_EQ(warm(51e6, bound), std::nullopt);
  EXPECT_FALSE(available(stays_warm(2e6, 10e9, {Unavailable{"has not run"}, std::nullopt})));
  EXPECT_FALSE(available(stays_warm(2e6, 0, ten_ms)));
}

}  // namespace
}  // namespace harness
