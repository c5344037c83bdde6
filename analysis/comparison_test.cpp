#include "analysis/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/launch_model.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

const ComparisonRule rule;

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// Reference values: SciPy 1.10.1, ttest_ind(log(new), log(old), equal_var=False) and its confidence_interval.
TEST(comparison, of_independent_sets_agrees_with_scipy) {
  const std::vector<double> before{1000, 1012, 995, 1003, 1008}, after{970, 961, 985, 979, 968, 990, 957};
  const SpeedChange change = unpaired_change(before, after, rule);
  EXPECT_NEAR(change.ratio.median, 0.9693184812376454, 1e-9);
  EXPECT_NEAR(change.ratio.low, 0.9571768563834216, 1e-9);
  EXPECT_NEAR(change.ratio.high, 0.9816141205283001, 1e-9);
  EXPECT_NEAR(change.slower_p, 0.0001500519112100427, 1e-9);
}

SpeedChange paired(const std::vector<double>& old_speeds, const std::vector<double>& new_speeds) {
  ComparedDecode old_side, new_side;
  for (int round = 0; round < static_cast<int>(old_speeds.size()); ++round) {
    old_side.rounds.push_back(round);
    new_side.rounds.push_back(round);
  }
  old_side.tokens_per_s = old_speeds;
  new_side.tokens_per_s = new_speeds;
  return paired_change(old_side, new_side, rule);
}

TEST(comparison, of_rounds_leaves_out_rounds_in_which_one_side_has_no_speed) {
  ComparedDecode old_side, new_side;
  old_side.tokens_per_s = {100, 200, 300};
  old_side.rounds = {0, 1, 3};
  new_side.tokens_per_s = {90, 270, 500};
  new_side.rounds = {0, 3, 4};
  EXPECT_EQ(round_ratios(old_side, new_side), (std::vector<double>{0.9, 0.9}));
}

TEST(comparison, of_rounds_takes_out_what_both_launches_of_a_round_share) {
  const std::vector<double> weather{1, 0.5, 0.9, 0.7, 1.1, 0.6};
  std::vector<double> before, after;
  for (size_t i = 0; i < weather.size(); ++i) {
    before.push_back(1000 * weather[i]);
    after.push_back(950 * weather[i] * (1 + 0.002 * (i % 2 == 0 ? 1 : -1)));
  }
  EXPECT_EQ(paired(before, after).word, "regressed");
  EXPECT_EQ(unpaired_change(before, after, rule).word, "inconclusive");
}

TEST(comparison, says_no_worse_improved_and_inconclusive) {
  const std::vector<double> steady{1000, 1004, 996, 1001, 999, 1002, 998, 1000, 1003, 997};
  const auto word = [&](double factor) { return unpaired_change(steady, scaled(steady, factor), rule).word; };
  EXPECT_EQ(word(1), "no_worse");
  EXPECT_EQ(word(0.985), "no_worse") << "slower, surely, but by less than the margin";
  EXPECT_EQ(word(0.96), "regressed");
  EXPECT_EQ(word(1.05), "improved");
  EXPECT_EQ(word(0.9699), "regressed");
  EXPECT_EQ(word(0.971), "inconclusive") << "a point above the margin, an interval below it";
  EXPECT_EQ(unpaired_change(std::vector<double>{1000}, steady, rule).word, "inconclusive");
  const std::vector<double> wild{1000, 1500, 600};
  EXPECT_EQ(unpaired_change(wild, scaled(wild, 0.9), rule).word, "inconclusive");
}

TEST(comparison, finds_a_slow_down_of_the_detectable_size_with_the_promised_power) {
  LaunchModel launches(7);
  int found = 0, false_alarms = 0;
  constexpr int trials = 400, count = 12;
  for (int i = 0; i < trials; ++i) {
    const std::vector<double> before = launches.launch_medians(count, 30);
    const SpeedChange same = paired(before, launches.launch_medians(count, 30));
    false_alarms += same.word == "regressed";
    // The scatter is known here: 2 % a launch, √2 of it a pair; 12 pairs, margin 3 %.
    const double error = 0.02 * std::sqrt(2.0 / count);
    const double slower =
        1 - std::exp(std::log1p(-rule.margin_ratio) - harness::student_t_quantile(0.9, count - 1) * error);
    found += paired(before, scaled(launches.launch_medians(count, 30), 1 - slower)).word == "regressed";
  }
  EXPECT_GE(found, 0.86 * trials);
  EXPECT_LE(found, 0.95 * trials) << "were it found more often, less would be detectable";
  EXPECT_LE(false_alarms, 0.025 * trials);
}

TEST(comparison, plans_as_many_launches_as_the_pilot_scatters) {
  const std::vector<double> steady{1, 1.001, 0.999, 1.002, 0.998};
  EXPECT_EQ(launches_for(steady, rule, 5, 30), 5);
  const std::vector<double> rough{1, 1.04, 0.97, 1.02, 0.96};
  const int needed = launches_for(rough, rule, 5, 30);
  EXPECT_GT(needed, 10);
  EXPECT_LT(needed, 30);
  EXPECT_EQ(launches_for(std::vector<double>{1, 2, 0.5}, rule, 5, 30), 30);
}

TEST(comparison, has_no_speed_for_what_computes_something_else) {
  const harness::Submission right = test_submission({});
  const auto before = collect_decodes(right);
  ASSERT_FALSE(before.empty());
  harness::Submission wrong = right;
  for (harness::Launch& launch : wrong.launches) {
    if (launch.purpose == "decode" && launch.round == 2) launch.golden_got = std::string(64, 'a');
  }
  for (const ComparedRow& row : compare_decodes(before, collect_decodes(right), Pairing::independent, rule))
    EXPECT_EQ(row.word, "no_worse") << row.key.mode;
  for (const ComparedRow& row : compare_decodes(before, collect_decodes(wrong), Pairing::independent, rule)) {
    EXPECT_EQ(row.word, "wrong") << "one launch of five is enough";
    EXPECT_EQ(row.why.rfind("new: ", 0), 0) << row.why;
  }
  harness::Submission other = right;  // consistent in itself
  for (harness::Plan& plan : other.plans) plan.golden = std::string(64, 'b');
  for (harness::Launch& launch : other.launches) {
    if (launch.golden_got) launch.golden_got = std::string(64, 'b');
  }
  const auto rows = compare_decodes(before, collect_decodes(other), Pairing::independent, rule);
  ASSERT_FALSE(rows.empty());
  for (const ComparedRow& row : rows) {
    EXPECT_EQ(row.word, "wrong");
    EXPECT_EQ(row.change.ratio.median, 0);
    EXPECT_NE(row.why.find("different logits"), std::string::npos);
  }
}

TEST(comparison, needs_a_second_run_for_what_it_says_of_a_change) {
  const std::vector<double> steady{1000, 1004, 996, 1001, 999};
  ComparedDecode old_side, slower, same;
  old_side.tokens_per_s = same.tokens_per_s = steady;
  slower.tokens_per_s = scaled(steady, 0.9);
  const auto compared = [&](const ComparedDecode& now) {
    return compare_decodes({old_side}, {now}, Pairing::independent, rule);
  };
  auto rows = compared(slower);
  ASSERT_EQ(rows[0].word, "regressed");
  confirm(rows, compared(same));
  EXPECT_EQ(rows[0].word, "inconclusive");
  rows = compared(slower);
  confirm(rows, compared(slower));
  EXPECT_EQ(rows[0].word, "regressed");
  ASSERT_TRUE(rows[0].again);
  doubt(rows[0], "because");
  EXPECT_EQ(rows[0].word, "suspected");
  rows = compare_decodes({slower}, {old_side}, Pairing::independent, rule);
  ASSERT_EQ(rows[0].word, "improved");
  doubt(rows[0], "because");
  EXPECT_EQ(rows[0].word, "inconclusive");
  EXPECT_EQ(rows[0].why, "faster, because");
}

TEST(comparison, does_not_trust_a_side_whose_controls_differ) {
  TestRun run;
  run.arms[1].second = 63'000;  // aa 5 % slower than warm, in every launch
  run.arm_factor = [](const std::string& arm, size_t launch) {
    return arm == "aa" ? 1 + 0.001 * static_cast<double>(launch) : 1.0;
  };
  const auto good = collect_decodes(test_submission({})), bad = collect_decodes(test_submission(run));
  for (const ComparedRow& row : compare_decodes(good, bad, Pairing::independent, rule)) {
    if (row.key.mode != "warm") continue;
    EXPECT_EQ(row.word, "inconclusive");
    EXPECT_NE(row.why.find("new: two identical arms differ"), std::string::npos);
  }
}

}  // namespace
}  // namespace analysis
