#include "analysis/score.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

harness::ForecastFigure figure(size_t run, int decode, const char* id, double ratio, bool inside = true,
                               double width = 1.5, const char* model = "a", const char* mode = "warm") {
  return {run, decode, id, "1", model, mode, ratio, inside, width};
}

harness::ForecastRun run(const char* machine, const char* uncounted = "") {
  return {1, "", machine, "", uncounted};
}

const Score& find(const std::vector<Score>& scores, const std::string& id, const std::string& model = "",
                  const std::string& mode = "", const std::string& machine = "") {
  for (const Score& score : scores) {
    if (score.id == id && score.model == model && score.mode == mode && score.machine_key == machine)
      return score;
  }
  throw std::runtime_error("no score of " + id);
}

TEST(Score, is_what_one_computes_by_hand) {
  // ln of 0.5, 1.25, 2 are −0.693147, 0.223144, 0.693147.
  const harness::ForecastRecord record{
      {run("m"), run("m")},
      {figure(0, 0, "ecm", 0.5, false, 1.2), figure(0, 1, "ecm", 1.25, true, 1.4),
       figure(1, 0, "ecm", 2, false, 3)}};
  const auto scores = score(record, By::nothing, true);
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].figures, 3);
  EXPECT_EQ(scores[0].runs, 2);
  EXPECT_NEAR(scores[0].log_error, 0.693147, 1e-6);
  EXPECT_NEAR(scores[0].log_bias, 0.223144, 1e-6);
  EXPECT_NEAR(scores[0].ratio_error, 0.5, 1e-12) << "of 0.5, 0.25 and 1";
  EXPECT_NEAR(scores[0].worst_log_error, 0.693147, 1e-6);
  EXPECT_NEAR(scores[0].coverage.median, 1.0 / 3, 1e-9);
  // Clopper and Pearson for 1 of 3.
  EXPECT_NEAR(scores[0].coverage.low, 0.00840, 1e-4);
  EXPECT_NEAR(scores[0].coverage.high, 0.90570, 1e-4);
  EXPECT_NEAR(scores[0].width_ratio, 1.4, 1e-12);
  EXPECT_TRUE(scores[0].against_naive.empty());
}

TEST(Score, leaves_out_runs_that_do_not_count_unless_asked_for_all) {
  const harness::ForecastRecord record{
      {run("m"), run("m", "aa_failed"), run("m", "roofs_drifted"), run("m", "aa_failed")},
      {figure(0, 0, "ecm", 1), figure(1, 0, "ecm", 4), figure(2, 0, "ecm", 4)}};
  EXPECT_EQ(score(record, By::nothing, true)[0].figures, 1);
  EXPECT_EQ(score(record, By::nothing, false)[0].figures, 3);
  EXPECT_NEAR(score(record, By::nothing, false)[0].log_error, std::log(4), 1e-12);
  const Counting counting = count_runs(record);
  EXPECT_EQ(counting.counted, 1);
  EXPECT_EQ(counting.excluded, 3);
  const std::vector<std::pair<std::string, int64_t>> reasons{{"aa_failed", 2}, {"roofs_drifted", 1}};
  EXPECT_EQ(counting.reasons, reasons);
}

TEST(Score, groups_by_machine_model_mode_or_all_three) {
  const harness::ForecastRecord record{
      {run("m"), run("n")},
      {figure(0, 0, "ecm", 1.1), figure(0, 1, "ecm", 1.2, true, 1, "b"),
       figure(0, 2, "ecm", 1.3, true, 1, "b", "evict_flush"), figure(1, 0, "ecm", 1.4)}};
  EXPECT_EQ(find(score(record, By::machine, true), "ecm", "", "", "m").figures, 3);
  EXPECT_EQ(find(score(record, By::machine, true), "ecm", "", "", "n").figures, 1);
  EXPECT_EQ(find(score(record, By::model, true), "ecm", "b").figures, 2);
  EXPECT_EQ(find(score(record, By::mode, true), "ecm", "", "warm").figures, 3);
  EXPECT_NEAR(find(score(record, By::cell, true), "ecm", "b", "evict_flush", "m").log_bias, std::log(1.3),
              1e-12);
  EXPECT_EQ(score(record, By::cell, true).size(), 4u);
}

TEST(Score, versions_of_a_forecast_are_scored_apart) {
  harness::ForecastRecord record{{run("m")}, {figure(0, 0, "ecm", 1.1), figure(0, 1, "ecm", 1.2)}};
  record.figures[1].version = "2";
  EXPECT_EQ(score(record, By::nothing, true).size(), 2u);
}

TEST(Score, says_when_a_naive_forecast_did_better_on_the_same_decodes) {
  // cache_roof did not forecast decode 1, where ecm was far off: that one is not held against ecm.
  const harness::ForecastRecord record{
      {run("m")},
      {figure(0, 0, "dram_roof", 2), figure(0, 0, "cache_roof", 0.9), figure(0, 0, "ecm", 1.2),
       figure(0, 1, "dram_roof", 2), figure(0, 1, "ecm", 1.9)}};
  const auto scores = score(record, By::nothing, true);
  EXPECT_EQ(scores[0].id, "dram_roof");
  EXPECT_EQ(scores[1].id, "cache_roof");
  EXPECT_TRUE(scores[1].against_naive.empty());
  const auto& against = find(scores, "ecm").against_naive;
  ASSERT_EQ(against.size(), 2u);
  EXPECT_EQ(against[0].naive, "dram_roof");
  EXPECT_EQ(against[0].decodes, 2);
  EXPECT_NEAR(against[0].own_log_error, (std::log(1.2) + std::log(1.9)) / 2, 1e-12);
  EXPECT_NEAR(against[0].naive_log_error, std::log(2), 1e-12);
  EXPECT_FALSE(against[0].beaten());
  EXPECT_EQ(against[1].naive, "cache_roof");
  EXPECT_EQ(against[1].decodes, 1);
  EXPECT_NEAR(against[1].naive_log_error, -std::log(0.9), 1e-12);
  EXPECT_TRUE(against[1].beaten());
}

TEST(Score, of_nothing_is_nothing) {
  EXPECT_TRUE(score({}, By::cell, false).empty());
  const harness::ForecastRecord stopped{{run("m")}, {figure(0, 0, "ecm", 0)}};
  EXPECT_TRUE(score(stopped, By::nothing, false).empty());
}

}  // namespace
}  // namespace analysis
