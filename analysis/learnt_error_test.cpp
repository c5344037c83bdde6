#include "analysis/learnt_error.hpp"

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
  EXPECT_EQ(learn_model_error({}, "m"), none);
}

TEST(ModelError, is_what_one_computes_by_hand) {
  // s² = (4 · 0.01 + 0.05² + 0.15²) ÷ 6 = 0.0108333; t(0.95; 6) = 1.94318; exp(1.94318 · 0.104083) = 1.22416
  const auto learnt = learn_model_error(record_of({0.05, -0.15}), "m");
  EXPECT_NEAR(learnt.spread_ratio, 1.22416, 1e-5);
  EXPECT_EQ(learnt.submissions, 2);
  EXPECT_EQ(learnt.machines, "this");
  ASSERT_EQ(learnt.learnt_from.size(), 2u);
  EXPECT_EQ(learnt.learnt_from[0].document, std::string(16, 'b')) << "the newest first";
  EXPECT_NEAR(learnt.learnt_from[0].log_error, 0.15, 1e-12);
  EXPECT_EQ(misstated(learnt), "");
}

TEST(ModelError, of_a_run_is_the_root_mean_square_of_its_decodes) {
  auto record = record_of({0.03});
  record.figures.push_back({0, 1, "ecm", ecm_version, "x", "evict_flush", std::exp(-0.04), true, 1.5});
  record.figures.push_back({0, 1, "curve", "2", "x", "evict_flush", 3, true, 1.5});
  record.figures.push_back({0, 2, "ecm", "0", "x", "warm", 3, true, 1.5});
  EXPECT_NEAR(learn_model_error(record, "m").learnt_from.at(0).log_error, std::sqrt(0.0025 / 2), 1e-12);
}

TEST(ModelError, never_learns_from_the_run_that_it_is_for_nor_from_one_that_does_not_count) {
  auto record = record_of({0.05, 0.6, 0.05});
  record.runs[1].uncounted = "roofs_drifted";
  EXPECT_EQ(learn_model_error(record, "m").submissions, 2);
  const auto without = learn_model_error(record, "m", std::string(64, 'c'));
  ASSERT_EQ(without.submissions, 1);
  EXPECT_EQ(without.learnt_from[0].document, std::string(16, 'a'));
}

TEST(ModelError, prefers_this_machines_runs_and_says_when_it_has_none) {
  auto record = record_of({0.01, 0.02, 0.03}, "other");
  EXPECT_EQ(learn_model_error(record, "m").machines, "any");
  EXPECT_EQ(learn_model_error(record, "m").submissions, 3);
  record.runs[0].machine_key = "m";
  EXPECT_EQ(learn_model_error(record, "m").machines, "this");
  EXPECT_EQ(learn_model_error(record, "m").submissions, 1);
}

TEST(ModelError, follows_the_twenty_newest_runs) {
  std::vector<double> errors(25, 0.01);
  errors[4] = 3;  // too old
  EXPECT_EQ(learn_model_error(record_of(errors), "m").submissions, 20);
  EXPECT_LT(learn_model_error(record_of(errors), "m").spread_ratio, 1.1);
  errors[5] = 3;
  EXPECT_GT(learn_model_error(record_of(errors), "m").spread_ratio, 2);
}

}  // namespace
}  // namespace analysis
