#include "harness/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

using Samples = std::vector<std::vector<int64_t>>;

Curve curve_of(const std::vector<int64_t>& sizes, const std::vector<double>& values) {
  return {sizes, values, values, values};
}

Reading<Curve> rates(const std::vector<int64_t>& sizes, const std::vector<int64_t>& work,
                     const Samples& samples) {
  return make_curve(sizes, work, samples, Quantity::per_second, Spread::of_median_95);
}

TEST(curve, rates_are_work_per_second_at_the_median_sample) {
  const auto curve = rates({4096}, {1'000'000}, {{100'000, 200'000, 400'000}});
  ASSERT_TRUE(available(curve));
  const auto& made = std::get<Curve>(curve);
  EXPECT_DOUBLE_EQ(made.values.at(0), 5e9);  // 1e6 bytes in 200 µs
  EXPECT_LT(made.low.at(0), 5e9);
  EXPECT_GT(made.high.at(0), 5e9);
}

TEST(curve, times_are_ns_per_unit_of_work) {
  const std::vector<int64_t> sizes{4096}, work{1000};
  const auto curve =
      make_curve(sizes, work, Samples{{2000, 2000}}, Quantity::ns_per_unit, Spread::of_median_95);
  ASSERT_TRUE(available(curve));
  EXPECT_EQ(std::get<Curve>(curve), curve_of({4096}, {2.0}));
}

TEST(curve, sizes_measured_in_random_order_come_out_ascending) {
  const auto curve = rates({8192, 4096}, {800, 400}, {{100}, {100}});
  ASSERT_TRUE(available(curve));
  EXPECT_EQ(std::get<Curve>(curve), curve_of({4096, 8192}, {4e9, 8e9}));
}

TEST(curve, what_would_make_an_infinite_or_invented_speed_is_unavailable) {
  EXPECT_TRUE(available(rates({4096}, {1}, {{1}})));
  EXPECT_FALSE(available(rates({}, {}, {})));
  EXPECT_FALSE(available(rates({4096}, {1}, {{0}})));
  EXPECT_FALSE(available(rates({4096}, {1}, {{-5}})));
  EXPECT_FALSE(available(rates({4096}, {0}, {{1}})));
  EXPECT_FALSE(available(rates({0}, {1}, {{1}})));
  EXPECT_FALSE(available(rates({4096}, {1}, {{}})));
  EXPECT_FALSE(available(rates({4096}, {1, 1}, {{1}})));
  EXPECT_FALSE(available(rates({4096, 8192}, {1, 1}, {{1}})));
  EXPECT_FALSE(available(rates({4096, 4096}, {1, 1}, {{1}, {1}})));
}

TEST(curve, reads_off_a_power_law_exactly_between_sizes) {
  // value = size²: a straight line on log-log axes, not on linear ones.
  const auto curve = curve_of({1024, 4096}, {1024.0 * 1024, 4096.0 * 4096});
  const auto point = read_at(curve, 2000);
  EXPECT_NEAR(point.value.median, 4e6, 1);
  EXPECT_FALSE(point.clamped);
}

TEST(curve, gives_the_measured_values_at_measured_sizes) {
  const auto curve = curve_of({1024, 2048, 4096}, {9, 5, 2});
  EXPECT_DOUBLE_EQ(read_at(curve, 1024).value.median, 9);
  EXPECT_NEAR(read_at(curve, 2048).value.median, 5, 1e-12);
  EXPECT_DOUBLE_EQ(read_at(curve, 4096).value.median, 2);
  EXPECT_FALSE(read_at(curve, 1024).clamped);
  EXPECT_FALSE(read_at(curve, 4096).clamped);
}

TEST(curve, says_when_a_size_lies_outside) {
  const auto curve = curve_of({1024, 4096}, {9, 2});
  EXPECT_DOUBLE_EQ(read_at(curve, 1).value.median, 9);
  EXPECT_TRUE(read_at(curve, 1).clamped);
  EXPECT_DOUBLE_EQ(read_at(curve, 1e9).value.median, 2);
  EXPECT_TRUE(read_at(curve, 1e9).clamped);
}

TEST(curve, interval_is_interpolated_with_the_value) {
  const Curve curve{{1024, 4096}, {10, 10}, {5, 8}, {20, 12.5}};
  const auto value = read_at(curve, 2048).value;
  EXPECT_NEAR(value.low, std::sqrt(5.0 * 8.0), 1e-12);
  EXPECT_NEAR(value.high, std::sqrt(20.0 * 12.5), 1e-12);
}

TEST(curve, monotone_fit_pools_what_rises_into_its_geometric_mean) {
  const auto fit = monotone_fit(curve_of({1, 2, 3, 4}, {16, 2, 8, 1}), Direction::falling);
  EXPECT_DOUBLE_EQ(fit.values[0], 16);
  EXPECT_NEAR(fit.values[1], 4, 1e-12);  // √(2 × 8), an arithmetic mean would say 5
  EXPECT_NEAR(fit.values[2], 4, 1e-12);
  EXPECT_DOUBLE_EQ(fit.values[3], 1);
}

TEST(curve, monotone_fit_pools_backwards_over_several_sizes) {
  // 4 | 2 pools with 16 to √32, which then exceeds 4: all three become ∛128.
  const auto fit = monotone_fit(curve_of({1, 2, 3}, {4, 2, 16}), Direction::falling);
  for (double value : fit.values) EXPECT_NEAR(value, std::cbrt(128.0), 1e-12);
}

TEST(curve, monotone_fit_leaves_a_monotone_curve_alone_and_knows_the_direction) {
  const auto falling = curve_of({1, 2, 3}, {9, 5, 2}), rising = curve_of({1, 2, 3}, {2, 5, 9});
  EXPECT_EQ(monotone_fit(falling, Direction::falling), falling);
  EXPECT_EQ(monotone_fit(rising, Direction::rising), rising);
  EXPECT_NE(monotone_fit(falling, Direction::rising), falling);
}

TEST(curve, monotone_fit_keeps_the_relative_width_of_intervals) {
  const auto fit = monotone_fit({{1, 2}, {2, 8}, {1, 4}, {4, 16}}, Direction::falling);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(fit.low[i], 2, 1e-12);
    EXPECT_NEAR(fit.high[i], 8, 1e-12);
  }
}

TEST(curve, next_value_interval_follows_the_t_prediction_formula) {
  // Logs −1, 0, 1: mean 0, s = 1, t(0.95; 2 degrees) = 2.919986 (Student's table), √(1 + 1/3).
  const std::vector<double> values{std::exp(-1.0), 1.0, std::exp(1.0)};
  const auto interval = next_value_interval(values, 0.90);
  EXPECT_DOUBLE_EQ(interval.median, 1);
  EXPECT_NEAR(std::log(interval.high), 2.919986 * std::sqrt(4.0 / 3.0), 1e-4);
  EXPECT_NEAR(std::log(interval.low), -2.919986 * std::sqrt(4.0 / 3.0), 1e-4);
}

TEST(curve, one_value_gives_a_point) {
  const std::vector<double> values{7};
  EXPECT_EQ(next_value_interval(values, 0.90), (Interval{7, 7, 7}));
}

TEST(curve, next_value_spreads_wider_than_the_median) {
  const std::vector<int64_t> sizes{4096}, work{1000};
  const Samples samples{{100, 101, 99, 102, 98}};
  const auto median_of =
      std::get<Curve>(make_curve(sizes, work, samples, Quantity::per_second, Spread::of_median_95));
  const auto next =
      std::get<Curve>(make_curve(sizes, work, samples, Quantity::per_second, Spread::of_next_90));
  EXPECT_LT(next.low[0], median_of.low[0]);
  EXPECT_GT(next.high[0], median_of.high[0]);
}

}  // namespace
}  // namespace harness
