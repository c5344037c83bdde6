#include "analysis/regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

double noise(harness::SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1'000'000)) / 1e6;
  return sum;
}

/// A series of one sitting per commit, each of the parts at its level of 0.5, with a scatter of 1 %.
SpeedSeries series(const std::vector<std::pair<int, double>>& parts, uint64_t seed = 1) {
  harness::SplitMix64 random(seed);
  SpeedSeries made;
  made.key.model = "coreflow_1_9m";
  for (const auto& [count, level] : parts) {
    for (int i = 0; i < count; ++i) {
      SpeedPoint point;
      point.commit = static_cast<int64_t>(made.points.size());
      point.commit_name = "c" + std::to_string(point.commit);
      point.roof_fraction = 0.5 * level * std::exp(0.01 * noise(random));
      point.roof_bytes_per_s = 1e11;
      point.kernel_version = "1";
      point.compiler = "GNU 12.2.0";
      made.points.push_back(point);
    }
  }
  return made;
}

SeriesVerdict judge(const SpeedSeries& one, const RegressionRule& rule = {}) {
  return judge_series({one}, rule).front();
}

TEST(regression, a_step_of_five_percent_has_regressed_at_its_commit) {
  const SpeedSeries one = series({{30, 1}, {20, 0.95}});
  const SeriesVerdict verdict = judge(one);
  EXPECT_EQ(verdict.word, "regressed");
  EXPECT_FALSE(verdict.gradual);
  EXPECT_EQ(commit_range(one, verdict.since_point), "c29..c30");
  EXPECT_NEAR(verdict.ratio.median, 0.95, 0.01);
  EXPECT_LT(verdict.ratio.high, 1);
  EXPECT_LT(verdict.p, 1e-6);
  ASSERT_EQ(verdict.changes.size(), 1U);
  EXPECT_DOUBLE_EQ(verdict.changes[0].p, 0.001);
  EXPECT_EQ(verdict.why, "");
}

TEST(regression, a_step_below_the_margin_is_told_and_has_not_regressed) {
  const SeriesVerdict verdict = judge(series({{30, 1}, {20, 0.98}}));
  EXPECT_EQ(verdict.word, "no_worse");
  EXPECT_EQ(verdict.changes.size(), 1U);
  RegressionRule rule;
  rule.margin_ratio = 0.01;
  EXPECT_EQ(judge(series({{30, 1}, {20, 0.98}}), rule).word, "regressed");
}

TEST(regression, what_recovered_has_not_regressed) {
  const SeriesVerdict verdict = judge(series({{15, 1}, {15, 0.93}, {15, 1}}));
  EXPECT_NE(verdict.word, "regressed");
  EXPECT_EQ(verdict.changes.size(), 2U);
}

TEST(regression, is_held_against_the_highest_level_before) {
  const SeriesVerdict verdict = judge(series({{15, 1}, {15, 0.975}, {15, 0.95}}));
  EXPECT_EQ(verdict.word, "regressed");
  EXPECT_NEAR(verdict.ratio.median, 0.95, 0.01);
}

TEST(regression, a_slow_decline_has_regressed_gradually) {
  SpeedSeries one = series({{50, 1}});
  for (size_t i = 0; i < one.points.size(); ++i)
    one.points[i].roof_fraction *= 1 - 0.05 * static_cast<double>(i) / 49;
  const SeriesVerdict verdict = judge(one);
  EXPECT_EQ(verdict.word, "regressed");
  EXPECT_TRUE(verdict.gradual);
  EXPECT_NEAR(verdict.ratio.median, 0.95, 0.015);
}

TEST(regression, says_how_many_points_are_missing) {
  const SeriesVerdict verdict = judge(series({{5, 1}, {4, 0.5}}));
  EXPECT_EQ(verdict.word, "cannot_tell");
  EXPECT_EQ(verdict.why, "9 of 10 points");
  EXPECT_NE(judge(series({{5, 1}, {5, 0.5}})).word, "cannot_tell");
}

TEST(regression, wrong_comes_before_slow) {
  SpeedSeries one = series({{20, 1}, {20, 0.8}});
  one.wrong = "other logits";
  const SeriesVerdict verdict = judge(one);
  EXPECT_EQ(verdict.word, "wrong");
  EXPECT_EQ(verdict.why, "other logits");
}

TEST(regression, the_newest_commit_alone_is_suspected) {
  const SeriesVerdict verdict = judge(series({{40, 1}, {1, 0.9}}));
  EXPECT_EQ(verdict.word, "suspected");
  EXPECT_EQ(verdict.since_point, 40U);
  EXPECT_NEAR(verdict.ratio.median, 0.9, 0.02);
  EXPECT_NE(verdict.why, "");
}

TEST(regression, changes_before_since_are_history) {
  SpeedSeries one = series({{20, 1}, {20, 0.9}});
  one.since = 25;
  EXPECT_EQ(judge(one).word, "no_worse");
  one.since = 18;
  EXPECT_EQ(judge(one).word, "regressed");
}

TEST(regression, an_improvement_is_one) {
  const SeriesVerdict verdict = judge(series({{20, 1}, {20, 1.08}}));
  EXPECT_EQ(verdict.word, "improved");
  EXPECT_NEAR(verdict.ratio.median, 1.08, 0.01);
}

TEST(regression, says_what_changed_besides_the_commit) {
  SpeedSeries one = series({{20, 1}, {20, 0.9}});
  for (size_t i = 20; i < 40; ++i) {
    one.points[i].kernel_version = "2";
    one.points[i].compiler = "Clang 14.0.6";
  }
  EXPECT_EQ(judge(one).why, "kernels of version 1, then 2; built by GNU 12.2.0, then Clang 14.0.6");
  for (SpeedPoint& point : one.points) point.commit = 0;
  EXPECT_NE(judge(one).why.find("of one commit"), std::string::npos);
  EXPECT_EQ(judge(one).word, "suspected");
}

TEST(regression, a_roof_that_moved_along_leaves_it_suspected) {
  SpeedSeries one = series({{20, 1}, {20, 0.9}});
  one.roof = "l3";
  for (size_t i = 20; i < 40; ++i) one.points[i].roof_bytes_per_s = 0.96e11;
  EXPECT_EQ(judge(one).word, "regressed");
  for (size_t i = 20; i < 40; ++i) one.points[i].roof_bytes_per_s = 0.9e11;
  EXPECT_EQ(judge(one).word, "suspected");
  EXPECT_EQ(judge(one).why,
            "the read roof l3 is 0.900 of what it was: the machine changed, not the kernel alone");
}

TEST(regression, finds_none_among_many_series_of_noise) {
  std::vector<SpeedSeries> all;
  for (uint64_t seed = 0; seed < 300; ++seed) all.push_back(series({{40, 1}}, 500 + seed));
  int regressed = 0, suspected = 0;
  for (const SeriesVerdict& verdict : judge_series(all, {})) {
    regressed += verdict.word == "regressed" ? 1 : 0;
    suspected += verdict.word == "suspected" ? 1 : 0;
    EXPECT_LT(verdict.detectable_ratio, 0.97);
    EXPECT_GT(verdict.detectable_ratio, 0.95);
  }
  EXPECT_EQ(regressed, 0);
  EXPECT_LE(suspected, 1);
}

TEST(regression, p_values_are_adjusted_for_all_series) {
  std::vector<SpeedSeries> all{series({{30, 1}, {20, 0.95}})};
  for (uint64_t seed = 0; seed < 49; ++seed) all.push_back(series({{40, 1}}, 500 + seed));
  const SeriesVerdict verdict = judge_series(all, {}).front();
  EXPECT_NEAR(verdict.adjusted_p / verdict.p, 50, 1e-6);
  // Five points after a step, which could be chance among five thousand series.
  std::vector<SpeedSeries> more(5000, series({{40, 1}}));
  for (SpeedSeries& each : more) each.points.resize(10);
  more.push_back(series({{12, 1}, {6, 0.9}}));
  EXPECT_EQ(judge(more.back()).word, "regressed");
  EXPECT_EQ(judge_series(more, {}).back().word, "suspected");
}

TEST(regression, a_roof_that_rose_while_the_speed_stayed_is_suspected) {
  SpeedSeries one = series({{20, 1}, {20, 1 / 1.04}});
  one.roof = "l3";
  for (size_t i = 20; i < 40; ++i) one.points[i].roof_bytes_per_s = 1.04e11;
  const SeriesVerdict verdict = judge(one);
  EXPECT_EQ(verdict.word, "suspected");
  EXPECT_EQ(verdict.why.substr(0, 51), "the roof rose: the read roof l3 is 1.040 of what it");
}

TEST(regression, a_speed_that_fell_together_with_its_roof_is_noted) {
  SpeedSeries one = series({{20, 1}, {20, 1}});
  one.roof = "l3";
  EXPECT_EQ(judge(one).note, "");
  for (size_t i = 20; i < 40; ++i) one.points[i].roof_bytes_per_s = 0.9e11;
  EXPECT_EQ(judge(one).word, "no_worse");
  EXPECT_NE(judge(one).note.find("and the read roof l3 to 0.900"), std::string::npos) << judge(one).note;
}

TEST(regression, a_history_without_any_scatter_does_not_hide_a_fall) {
  for (const double other : {1.0, 1.03}) {
    SpeedSeries one = series({{15, 1}});
    for (size_t i = 0; i < 15; ++i)
      one.points[i].roof_fraction = i == 14 ? 0.05 : 0.1 * (i % 4 == 3 ? other : 1);
    EXPECT_EQ(judge(one).word, "suspected") << other;
    EXPECT_NEAR(judge(one).ratio.median, 0.5, 0.01);
  }
}

TEST(regression, a_rise_that_is_lost_again_has_regressed) {
  for (const auto& [before, risen] : {std::pair{8, 6}, {10, 5}, {12, 6}, {30, 8}, {35, 7}}) {
    const SeriesVerdict verdict = judge(series({{before, 1}, {risen, 1.1}, {15, 1}}, 3));
    EXPECT_EQ(verdict.word, "regressed") << before << " " << risen << " " << verdict.why;
    EXPECT_NEAR(verdict.ratio.median, 1 / 1.1, 0.015);
  }
}

}  // namespace
}  // namespace analysis
