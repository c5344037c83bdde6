#include "analysis/time_dependence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis/regression.hpp"

namespace analysis {
namespace {

double noise(harness::SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1'000'000)) / 1e6;
  return sum;
}

/// AR(1) with a standard deviation of 1.
std::vector<double> leaning(size_t count, double correlation, uint64_t seed) {
  harness::SplitMix64 random(seed);
  std::vector<double> values{noise(random)};
  while (values.size() < count)
    values.push_back(correlation * values.back() + std::sqrt(1 - correlation * correlation) * noise(random));
  return values;
}

double estimate(const std::vector<double>& values) {
  return lag_correlation(values, stretches_of(values, find_change_points(values, {})));
}

double median_estimate(size_t count, double correlation, double step) {
  std::vector<double> estimates;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<double> values = leaning(count, correlation, 900 + seed);
    for (size_t i = count / 2; i < count; ++i) values[i] += step;
    estimates.push_back(estimate(values));
  }
  return harness::median(estimates);
}

SpeedSeries series_of_logs(const std::vector<double>& logs) {
  SpeedSeries made;
  for (size_t i = 0; i < logs.size(); ++i) {
    SpeedPoint point;
    point.commit = static_cast<int64_t>(i);
    point.commit_name = "c" + std::to_string(i);
    point.roof_fraction = 0.2 * std::exp(logs[i]);
    point.roof_bytes_per_s = 1e11;
    made.points.push_back(point);
  }
  return made;
}

TEST(lag_correlation, is_that_of_the_values_with_and_without_a_step) {
  EXPECT_NEAR(median_estimate(70, 0.6, 0), 0.6, 0.1);
  EXPECT_NEAR(median_estimate(70, 0.6, -8), 0.6, 0.1);
  EXPECT_LT(median_estimate(70, 0, 0), 0.1);
  EXPECT_LT(median_estimate(70, 0, -8), 0.1);
}

TEST(lag_correlation, is_not_hidden_by_single_slow_values) {
  std::vector<double> values = leaning(200, 0.7, 3);
  for (const size_t place : {20U, 90U, 160U}) values[place] = -40;
  EXPECT_NEAR(estimate(values), 0.7, 0.15);
}

TEST(lag_correlation, takes_a_wave_for_correlation_and_not_for_steps) {
  std::vector<double> values = leaning(71, 0, 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] += 3 * std::sin(static_cast<double>(i) / 6.4);
  EXPECT_GT(estimate(values), 0.6);
}

TEST(shift_inflation, is_the_variance_of_all_pairs) {
  const std::vector<size_t> before{0, 1, 2, 5}, after{7, 8, 11};
  const auto weight = [](size_t point) { return point < 6 ? -1.0 / 4 : 1.0 / 3; };
  std::vector<size_t> all = before;
  all.insert(all.end(), after.begin(), after.end());
  double variance = 0;
  for (const size_t a : all) {
    for (const size_t b : all)
      variance +=
          weight(a) * weight(b) * std::pow(0.5, std::abs(static_cast<double>(a) - static_cast<double>(b)));
  }
  EXPECT_NEAR(shift_inflation(before, after, 0.5), variance / (1.0 / 4 + 1.0 / 3), 1e-12);
  EXPECT_DOUBLE_EQ(shift_inflation(before, after, 0), 1);
}

TEST(inflation, leaves_independent_values_as_they_are) {
  EXPECT_DOUBLE_EQ(inflated_p(0.001, inflation_of(3, 50, 0)), 0.001);
  EXPECT_GT(inflated_p(0.001, inflation_of(3, 50, 0.5)), 0.05);
  const harness::Interval wider = inflated({1, 0.9, 1.2}, inflation_of(4, 1000, 0.6));
  EXPECT_NEAR(wider.low, 0.8, 0.01);
  EXPECT_NEAR(wider.high, 1.4, 0.01);
  EXPECT_NEAR(effective_count(1000, 0.6), 250, 1);
}

TEST(change_points, of_values_that_hang_together_are_as_rare_as_alpha_says) {
  ChangeRule rule;
  rule.permutations = 199;
  rule.alpha = 0.05;
  int plain = 0, corrected = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> values = leaning(40, 0.6, 7000 + seed);
    rule.correlation = 0;
    plain += find_change_points(values, rule).empty() ? 0 : 1;
    rule.correlation = 0.6;
    corrected += find_change_points(values, rule).empty() ? 0 : 1;
  }
  EXPECT_GE(plain, 40);
  EXPECT_GE(corrected, 1);
  EXPECT_LE(corrected, 18);  // two searches at 5 % each
}

TEST(regression, sittings_that_hang_together_are_called_regressed_as_rarely_as_others) {
  for (const double correlation : {0.3, 0.6, 0.8}) {
    int regressed = 0, explained = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      std::vector<double> logs = leaning(71, correlation, 100 + seed);
      for (double& value : logs) value *= 0.025;
      const SeriesVerdict verdict = judge_series({series_of_logs(logs)}, {}).front();
      regressed += verdict.word == "regressed" ? 1 : 0;
      explained += verdict.why.find("hang together in time") != std::string::npos ? 1 : 0;
    }
    EXPECT_LE(regressed, 2) << correlation;
    if (correlation >= 0.6) {
      EXPECT_GE(explained, 3) << correlation;
    }
  }
}

TEST(regression, a_step_among_sittings_that_hang_together_is_found) {
  int regressed = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> logs = leaning(71, 0.5, 300 + seed);
    for (size_t i = 0; i < logs.size(); ++i) logs[i] = 0.01 * logs[i] - (i >= 40 ? 0.08 : 0);
    const SeriesVerdict verdict = judge_series({series_of_logs(logs)}, {}).front();
    regressed += verdict.word == "regressed" ? 1 : 0;
    EXPECT_GT(verdict.detectable_ratio, 0.9);
  }
  EXPECT_GE(regressed, 18);
}

TEST(regression, what_could_be_seen_is_less_where_sittings_hang_together) {
  std::vector<double> alone = leaning(71, 0, 12), together = leaning(71, 0.7, 12);
  for (double& value : alone) value *= 0.01;
  for (double& value : together) value *= 0.01;
  EXPECT_LT(judge_series({series_of_logs(together)}, {}).front().detectable_ratio,
            judge_series({series_of_logs(alone)}, {}).front().detectable_ratio - 0.01);
}

TEST(regression, a_decline_over_sittings_of_one_commit_is_suspected) {
  std::vector<double> logs = leaning(50, 0, 5);
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = 0.005 * logs[i] - 0.002 * static_cast<double>(i);
  SpeedSeries one = series_of_logs(logs);
  EXPECT_EQ(judge_series({one}, {}).front().word, "regressed");
  for (SpeedPoint& point : one.points) point.commit = 0;
  EXPECT_EQ(judge_series({one}, {}).front().word, "suspected");
  EXPECT_NE(judge_series({one}, {}).front().why.find("look for something else than the code"),
            std::string::npos);
}

}  // namespace
}  // namespace analysis
