#include "harness/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace harness {
namespace {

double uniform(SplitMix64& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

double normal(SplitMix64& random) {  // Box & Muller 1958
  return std::sqrt(-2 * std::log(uniform(random))) * std::cos(2 * std::numbers::pi * uniform(random));
}

TEST(statistics, a_quantile_is_that_of_sorted_values_however_many_there_are) {
  SplitMix64 random(5);
  for (size_t count = 1; count <= 40; ++count) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<double>(random.below(50)) / 7;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const double p : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0}) {
      const double position = p * static_cast<double>(count - 1);
      const auto below = static_cast<size_t>(position);
      const double expected = sorted[below] + (position - static_cast<double>(below)) *
                                                  (sorted[std::min(below + 1, count - 1)] - sorted[below]);
      EXPECT_EQ(quantile(values, p), expected) << count << " values, " << p;
    }
  }
}

TEST(statistics, quantile_interpolates_between_order_statistics) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);  // R: quantile(c(4,1,3,2), .25, type = 7)
  EXPECT_DOUBLE_EQ(quantile(std::array{7.0}, 0.99), 7);
}

TEST(statistics, quantile_of_nothing_is_our_mistake) {
  EXPECT_DEBUG_DEATH({ [[maybe_unused]] double unused = quantile(std::vector<double>{1}, 1.5); }, "p <= 1");
}

// NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2, and R's qt() for further digits.
TEST(statistics, student_t_quantile_agrees_with_published_tables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706205, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.302653, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776445, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.95, 4), 2.131847, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.995, 30), 2.749996, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.999, 100), 3.173739, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 1e7), 1.959964, 2e-6);
}

TEST(statistics, student_t_quantile_has_the_closed_form_of_one_and_two_degrees) {
  for (double p : {1e-6, 0.01, 0.3, 0.4999, 0.6, 0.9, 0.999999}) {
    const double cauchy = std::tan(std::numbers::pi * (p - 0.5));
    EXPECT_NEAR(student_t_quantile(p, 1) / cauchy, 1, 1e-9) << p;
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 2) / two, 1, 1e-9) << p;
  }
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
}

TEST(statistics, log_t_interval_is_the_textbook_sum) {
  // logs -1, 0, 1 (times ln 2): mean 0, s = ln 2, half-width = 4.302653 · ln 2 / √3.
  const Interval interval = log_t_interval(std::array{0.5, 1.0, 2.0});
  EXPECT_DOUBLE_EQ(interval.median, 1);
  EXPECT_NEAR(std::log(interval.high), 4.302653 * std::numbers::ln2 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(interval.low * interval.high, 1, 1e-12);
}

TEST(statistics, log_t_interval_of_one_value_is_that_value) {
  EXPECT_EQ(log_t_interval(std::array{3.0}), (Interval{3, 3, 3}));
}

TEST(statistics, log_t_interval_of_equal_values_is_that_value) {
  const Interval interval = log_t_interval(std::array{3.0, 3.0, 3.0});
  EXPECT_NEAR(interval.low, 3, 1e-12);
  EXPECT_NEAR(interval.high, 3, 1e-12);
}

TEST(statistics, log_t_interval_is_widened_to_hold_the_median) {
  // Nine equal values and one far one: at 10 % confidence the interval round the mean lies above the median.
  const std::array values{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1000.0};
  const Interval interval = log_t_interval(values, 0.1);
  EXPECT_DOUBLE_EQ(interval.median, 1);
  EXPECT_LE(interval.low, 1);
  EXPECT_GT(interval.high, 1);
}

TEST(statistics, log_t_interval_widens_with_confidence) {
  const std::array values{1.0, 1.1, 0.9, 1.05, 1.02};
  const Interval wide = log_t_interval(values, 0.99);
  const Interval narrow = log_t_interval(values, 0.9);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
}

/// The model of a run: every launch has its own speed (sd 2 %), samples in it scatter by 1 % with AR(1) 0.6.
std::vector<std::vector<double>> simulate_launches(SplitMix64& random, int launches, int samples) {
  std::vector<std::vector<double>> result;
  for (int launch = 0; launch < launches; ++launch) {
    const double level = 0.02 * normal(random);
    double error = 0.01 * normal(random);
    std::vector<double> values;
    for (int i = 0; i < samples; ++i) {
      values.push_back(std::exp(level + error));
      error = 0.6 * error + 0.01 * std::sqrt(1 - 0.36) * normal(random);
    }
    result.push_back(values);
  }
  return result;
}

TEST(statistics, log_t_interval_on_launch_medians_covers_as_it_says_and_pooling_does_not) {
  SplitMix64 random(20'261'130);
  constexpr int trials = 2000;
  int covered = 0;
  int pooled_covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> medians;
    std::vector<double> pooled;
    for (const auto& launch : simulate_launches(random, 5, 50)) {
      medians.push_back(median(launch));
      pooled.insert(pooled.end(), launch.begin(), launch.end());
    }
    const Interval interval = log_t_interval(medians);
    const Interval pooled_interval = log_t_interval(pooled);
    covered += interval.low <= 1 && 1 <= interval.high;
    pooled_covered += pooled_interval.low <= 1 && 1 <= pooled_interval.high;
  }
  // Three binomial standard errors of 2,000 trials at 95 % are 1.5 points.
  EXPECT_NEAR(static_cast<double>(covered) / trials, 0.95, 0.015);
  EXPECT_LT(static_cast<double>(pooled_covered) / trials, 0.5) << "launches, not samples, are the unit";
}

TEST(statistics, sign_interval_takes_the_order_statistics_of_the_exact_binomial) {
  // n = 10: P(B ≤ 1) = 11/1024, so [x2, x9] covers 97.9 %; n = 20: P(B ≤ 5) = 2.07 %, so [x6, x15]
  // covers 95.9 %.
  std::vector<double> values(10);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(sign_interval(values), (Interval{5.5, 2, 9}));
  values.resize(20);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(sign_interval(values), (Interval{10.5, 6, 15}));
}

TEST(statistics, sign_interval_is_the_range_when_there_are_too_few_values) {
  EXPECT_EQ(sign_interval(std::array{3.0, 1.0, 2.0}), (Interval{2, 1, 3}));
  EXPECT_EQ(sign_interval(std::array{3.0}), (Interval{3, 3, 3}));
}

TEST(statistics, sign_interval_at_low_confidence_shrinks_to_the_middle_and_no_further) {
  const std::array values{1.0, 2.0, 3.0, 4.0, 5.0};
  EXPECT_EQ(sign_interval(values, 0.01), (Interval{3, 2, 4})) << "[3, 3] would cover nothing";
}

TEST(statistics, sign_interval_covers_at_least_as_it_says) {
  SplitMix64 random(7);
  int covered = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(10);
    for (double& value : values) value = normal(random);
    const Interval interval = sign_interval(values);
    covered += interval.low <= 0 && 0 <= interval.high;
  }
  EXPECT_NEAR(static_cast<double>(covered) / trials, 1 - 22.0 / 1024, 0.012);
}

TEST(statistics, split_mix_gives_the_published_sequence) {
  // First values for seed 1234567 of the reference implementation (Vigna, splitmix64.c).
  SplitMix64 random(1'234'567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(statistics, below_stays_below_and_reaches_every_value) {
  SplitMix64 random(3);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) {
    const uint64_t value = random.below(7);
    ASSERT_LT(value, 7u);
    ++seen[value];
  }
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(statistics, binomial_interval_is_that_of_published_tables) {
  // Newcombe 1998, "Two-sided confidence intervals for the single proportion", method 5 (Clopper-Pearson).
  const auto share = binomial_interval(81, 263);
  EXPECT_NEAR(share.low, 0.2527, 1e-4);
  EXPECT_NEAR(share.high, 0.3676, 1e-4);
  EXPECT_NEAR(binomial_interval(15, 148).low, 0.0578, 1e-4);
  EXPECT_NEAR(binomial_interval(15, 148).high, 0.1617, 1e-4);
  EXPECT_EQ(binomial_interval(0, 20).low, 0);
  EXPECT_NEAR(binomial_interval(0, 20).high, 0.1684, 1e-4);
  EXPECT_NEAR(binomial_interval(29, 29).low, 0.8806, 1e-4);
  EXPECT_EQ(binomial_interval(29, 29).high, 1);
  EXPECT_EQ(binomial_interval(0, 0).high, 1);
}

}  // namespace
}  // namespace harness
