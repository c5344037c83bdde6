#include "analysis/learnt_error.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/forecast.hpp"

namespace analysis {
namespace {

/// One run per error, oldest first; hashes are its number repeated.
harness::ForecastRecord record_of(const std::vector<double>& log_errors, const std::string& machine = "m") {
  harness::ForecastRecord record;
  for (size_t i = 0; i < log_errors.size(); ++i) {
    const std::string hash(64, static_cast<char>('a' + i));
    record.runs.push_back({static_cast<int64_t>(i), hash, machine, "", ""});
    record.figures.push_back({i, 0, "ecm", ecm_version, "x", "warm", std::exp(log_errors[i]), true, 1.5});
  }
  return record;
}

TEST(ModelError, is_a_stated_prior_until_submissions_tell) {
  const auto none = model_error();
  EXPECT_EQ(none.submissions, 0);
  EXPECT_EQ(none.machines, "");
  EXPECT_NEAR(none.spread_ratio, std::exp(2.132 * 0.10), 1e-3);
  EXPECT_EQ(learn_model_error({}, "x", "m"), none);
}

TEST(ModelError, is_what_one_computes_by_hand) {
  // s² = (4 · 0.01 + 0.05² + 0.15²) ÷ 6 = 0.0108333; t(0.95; 6) = 1.94318; exp(1.94318 · 0.104083) = 1.22416
  const auto learnt = learn_model_error(record_of({0.05, -0.15}), "x", "m");
  EXPECT_NEAR(learnt.spread_ratio, 1.22416, 1e-5);
  EXPECT_EQ(learnt.submissions, 2);
  EXPECT_EQ(learnt.machines, "this");
  ASSERT_EQ(learnt.learnt_from.size(), 2u);
  EXPECT_EQ(learnt.learnt_from[0].document, std::string(16, 'b')) << "the newest first";
  EXPECT_NEAR(learnt.learnt_from[0].log_error, 0.15, 1e-12);
  EXPECT_EQ(misstated(learnt, "x"), "");
}

TEST(ModelError, of_more_runs_than_are_learnt_from_is_misstated) {
  std::vector<harness::LearntFrom> runs;
  for (int i = 0; i < 21; ++i) runs.push_back({fmt::format("{:016x}", i), 0.05});
  EXPECT_EQ(misstated(model_error(runs, "any"), "x"),
            "model_error names 21 runs, 20 are learnt from at most");
  runs.pop_back();
  EXPECT_EQ(misstated(model_error(runs, "any"), "x"), "");
}

TEST(ModelError, of_a_run_is_the_root_mean_square_of_its_decodes) {
  auto record = record_of({0.03});
  record.figures.push_back({0, 1, "ecm", ecm_version, "x", "evict_flush", std::exp(-0.04), true, 1.5});
  record.figures.push_back({0, 1, "curve", "2", "x", "evict_flush", 3, true, 1.5});
  record.figures.push_back({0, 2, "ecm", "0", "x", "warm", 3, true, 1.5});
  EXPECT_NEAR(learn_model_error(record, "x", "m").learnt_from.at(0).log_error, std::sqrt(0.0025 / 2), 1e-12);
}

TEST(ModelError, never_learns_from_the_run_that_it_is_for_nor_from_one_that_does_not_count) {
  auto record = record_of({0.05, 0.6, 0.05});
  record.runs[1].uncounted = "roofs_drifted";
  EXPECT_EQ(learn_model_error(record, "x", "m").submissions, 2);
  const auto without = learn_model_error(record, "x", "m", std::string(64, 'c'));
  ASSERT_EQ(without.submissions, 1);
  EXPECT_EQ(without.learnt_from[0].document, std::string(16, 'a'));
}

TEST(ModelError, prefers_this_machines_runs_and_says_when_it_has_none) {
  auto record = record_of({0.01, 0.02, 0.03}, "other");
  EXPECT_EQ(learn_model_error(record, "x", "m").machines, "any");
  EXPECT_EQ(learn_model_error(record, "x", "m").submissions, 3);
  record.runs[0].machine_key = "m";
  EXPECT_EQ(learn_model_error(record, "x", "m").machines, "this");
  EXPECT_EQ(learn_model_error(record, "x", "m").submissions, 1);
}

TEST(ModelError, follows_the_twenty_newest_runs) {
  std::vector<double> errors(25, 0.01);
  errors[4] = 3;  // too old
  EXPECT_EQ(learn_model_error(record_of(errors), "x", "m").submissions, 20);
  EXPECT_LT(learn_model_error(record_of(errors), "x", "m").spread_ratio, 1.1);
  errors[5] = 3;
  EXPECT_GT(learn_model_error(record_of(errors), "x", "m").spread_ratio, 2);
}

/// A run of a model that ecm knows well, another one of that and of one that it does not.
harness::ForecastRecord easy_and_hard() {
  auto record = record_of({0.02, 0.02});
  record.figures.push_back({1, 1, "ecm", ecm_version, "hard", "warm", std::exp(0.3), true, 1.5});
  return record;
}

TEST(ModelError, of_a_model_is_learnt_from_runs_that_decoded_it) {
  const auto easy = learn_model_error(easy_and_hard(), "x", "m"),
             hard = learn_model_error(easy_and_hard(), "hard", "m");
  EXPECT_EQ(easy.submissions, 2);
  EXPECT_LT(easy.spread_ratio, model_error().spread_ratio);
  ASSERT_EQ(hard.submissions, 1);
  EXPECT_NEAR(hard.learnt_from[0].log_error, 0.3, 1e-12) << "and not from its easy decodes";
  EXPECT_GT(hard.spread_ratio, model_error().spread_ratio);
  EXPECT_EQ(learn_model_error(easy_and_hard(), "unseen", "m"), model_error());
}

TEST(ModelError, of_a_model_is_that_of_the_runs_that_a_store_has) {
  const auto record = easy_and_hard();
  const auto hard = learn_model_error(record, "hard", "m");
  EXPECT_EQ(misstated(hard, "hard", &record), "");
  EXPECT_NE(misstated(hard, "x", &record).find("has a log error of 0.02, stated 0.3"), std::string::npos);
  EXPECT_EQ(error_on({record, "m", std::string(64, 'b')}, "hard"), model_error()) << "it is its own run";
}

TEST(ModelError, of_a_version_with_the_same_points_teaches_and_of_older_ones_does_not) {
  auto record = record_of({0.02, 0.02});
  record.figures[0].version = ecm_version_before;
  record.figures[1].version = "3";
  EXPECT_EQ(learn_model_error(record, "x", "m").submissions, 1);
}

}  // namespace
}  // namespace analysis
