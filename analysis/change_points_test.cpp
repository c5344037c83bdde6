#include "analysis/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

/// Roughly normal numbers with a standard deviation of 1 (twelve uniform ones).
double noise(harness::SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1'000'000)) / 1e6;
  return sum;
}

std::vector<double> steps(const std::vector<std::pair<int, double>>& parts, uint64_t seed) {
  harness::SplitMix64 random(seed);
  std::vector<double> values;
  for (const auto& [count, level] : parts) {
    for (int i = 0; i < count; ++i) values.push_back(level + noise(random));
  }
  return values;
}

/// The statistic of E-divisive as its authors write it, of all pairs.
double energy(std::span<const double> values, size_t at) {
  double between = 0, left = 0, right = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      const double distance = std::abs(values[i] - values[j]);
      (i < at && j < at ? left : i >= at && j >= at ? right : between) += distance;
    }
  }
  const auto a = static_cast<double>(at), b = static_cast<double>(values.size() - at);
  return a * b / (a + b) * (between / (a * b) - left / (a * a) - right / (b * b));
}

TEST(change_points, finds_a_step_where_it_is) {
  const std::vector<ChangePoint> found = find_change_points(steps({{20, 0}, {30, -4}}, 1), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at, 20U);
  EXPECT_DOUBLE_EQ(found[0].p, 0.001);
}

TEST(change_points, finds_several_in_their_order) {
  const std::vector<ChangePoint> found = find_change_points(steps({{15, 0}, {15, -5}, {15, 3}}, 2), {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at, 15U);
  EXPECT_EQ(found[1].at, 30U);
}

TEST(change_points, is_split_where_the_energy_of_all_pairs_is_largest) {
  const std::vector<double> values = steps({{9, 0}, {14, -2.5}}, 3);
  const std::vector<ChangePoint> found = find_change_points(values, {});
  ASSERT_EQ(found.size(), 1U);
  for (size_t at = 5; at + 5 <= values.size(); ++at)
    EXPECT_LE(energy(values, at), energy(values, found[0].at)) << at;
}

TEST(change_points, finds_no_more_in_noise_than_alpha_says) {
  ChangeRule rule;
  rule.permutations = 199;
  rule.alpha = 0.05;
  int split = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    rule.seed = seed;
    split += find_change_points(steps({{30, 0}}, 1000 + seed), rule).empty() ? 0 : 1;
  }
  EXPECT_GE(split, 8);  // 20 expected; a test that never splits would be none
  EXPECT_LE(split, 36);
}

TEST(change_points, depends_on_the_seed_alone) {
  const std::vector<double> values = steps({{12, 0}, {12, -1.2}}, 5);
  ChangeRule rule;
  rule.alpha = 1;
  const std::vector<ChangePoint> once = find_change_points(values, rule),
                                 again = find_change_points(values, rule);
  ASSERT_FALSE(once.empty());
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].at, again[i].at);
    EXPECT_EQ(once[i].p, again[i].p);
  }
}

TEST(change_points, splits_neither_too_little_nor_what_is_all_the_same) {
  EXPECT_TRUE(find_change_points(std::vector<double>{0, 0, 0, 0, 9, 9, 9, 9, 9}, {}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>(40, 1.5), {}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>{}, {}).empty());
}

TEST(change_points, takes_no_single_outlier_for_a_change) {
  std::vector<double> values = steps({{40, 0}}, 7);
  values[20] = -60;
  EXPECT_TRUE(find_change_points(values, {}).empty());
}

TEST(level_shift, is_the_median_of_all_differences) {
  const std::vector<double> before{1, 2, 3}, after{11, 12, 100};
  EXPECT_DOUBLE_EQ(level_shift(before, after, 0.95).median, 10);
}

TEST(level_shift, covers_the_true_shift_as_often_as_it_says) {
  int held = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<double> values = steps({{12, 0}, {9, -1}}, seed);
    const harness::Interval shift =
        level_shift(std::span(values).first(12), std::span(values).subspan(12), 0.95);
    held += shift.low <= -1 && -1 <= shift.high ? 1 : 0;
  }
  EXPECT_GE(held, 366);  // 380 expected, standard deviation 4.4
  EXPECT_LE(held, 394);
}

TEST(fit_trend, finds_the_slope_despite_outliers) {
  std::vector<double> values = steps({{30, 0}}, 9);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.2 * values[i] - 0.5 * static_cast<double>(i);
  values[4] = 900;
  values[25] = -900;
  const Trend trend = fit_trend(values, 0.95);
  EXPECT_NEAR(trend.per_step, -0.5, 0.03);
  EXPECT_NEAR(trend.level_at_start, 0, 0.4);
  EXPECT_LT(trend.low, trend.per_step);
  EXPECT_GT(trend.high, trend.per_step);
  EXPECT_LT(trend.p, 1e-6);
}

TEST(fit_trend, sees_none_in_noise_more_often_than_its_p_value_says) {
  int seen = 0;
  for (uint64_t seed = 0; seed < 400; ++seed)
    seen += fit_trend(steps({{20, 0}}, seed), 0.95).p <= 0.05 ? 1 : 0;
  EXPECT_GE(seen, 6);
  EXPECT_LE(seen, 34);
}

TEST(normal, quantile_and_distribution_are_inverse) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_cdf(normal_quantile(0.01)), 0.01, 1e-9);
}

TEST(robust_deviation, is_that_of_normal_values) {
  std::vector<double> values = steps({{4000, 3}}, 11);
  EXPECT_NEAR(robust_deviation(values), 1, 0.05);
}

}  // namespace
}  // namespace analysis
