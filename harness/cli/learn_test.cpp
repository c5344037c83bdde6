// What a session learns from a store about its forecasts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "analysis/forecast.hpp"
#include "harness/cli/learnt_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/store.hpp"
#include "harness/submission_example.hpp"

namespace cli {
namespace {

/// A run that counts and of which ecm was off by 10 %.
std::string counted_run(const std::string& machine_key) {
  harness::Submission run = harness::example_submission();
  run.machine.machine_key = machine_key;
  const auto key = harness::example_key("warm");
  run.derived.ratios = {{"aa/warm", key, 5, {1, 0.99, 1.01}}};
  harness::Launch after;
  after.purpose = "roofs_after";
  for (const char* probe : {"load_bandwidth", "dram_stream"}) {
    harness::Series series = harness::example_probes().series.front();
    series.probe = probe;
    after.series.push_back(series);
  }
  run.launches.push_back(after);
  run.derived.forecast_errors = {{"ecm", analysis::ecm_version, key, 1.1, true}};
  run.forecasts = {{"ecm", analysis::ecm_version, key, harness::example_hash, harness::Interval{100, 80, 120},
                    1, "2026-01-02T03:04:00Z"}};
  return harness::to_canonical_json(run);
}

class Learning : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tokroof_learn_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/store.sqlite";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  harness::ModelError error_in_store(const std::string& machine_key, const std::string& but_not = "") {
    return analysis::error_on(learn_from_store(path_, machine_key, but_not), "coreflow_1_9m");
  }
  std::string folder_, path_;
};

TEST_F(Learning, without_a_store_it_is_the_prior) {
  EXPECT_EQ(error_in_store(harness::example_hash), analysis::model_error());
  EXPECT_FALSE(std::filesystem::exists(path_)) << "asking makes no store";
}

TEST_F(Learning, the_runs_that_count_teach_and_the_one_that_is_forecast_does_not) {
  const auto stored = harness::Store(path_).add(counted_run(harness::example_hash));
  const auto learnt = error_in_store(harness::example_hash);
  EXPECT_EQ(learnt.submissions, 1);
  EXPECT_EQ(learnt.machines, "this");
  EXPECT_NEAR(learnt.learnt_from.at(0).log_error, std::log(1.1), 1e-12);
  EXPECT_EQ(learnt.learnt_from.at(0).document, stored.content_sha256.substr(0, 16));
  EXPECT_EQ(error_in_store(std::string(64, 'b')).machines, "any");
  EXPECT_EQ(error_in_store(harness::example_hash, stored.content_sha256), analysis::model_error());
  const auto learnt_errors = learn_from_store(path_, harness::example_hash);
  EXPECT_EQ(analysis::error_on(learnt_errors, "dense_44m_q3"), analysis::model_error())
      << "nobody decoded it";
  EXPECT_EQ(learnt_text(learnt_errors, {"coreflow_1_9m"}),
            "ecm may be wrong by a factor of 1.22: learnt from 1 stored run of this machine");
  EXPECT_EQ(learnt_text(learnt_errors, {"dense_44m_q3"}),
            "ecm may be wrong by a factor of 1.24: a prior, no stored run that counts decoded it yet");
  EXPECT_EQ(learnt_text(learnt_errors, {"coreflow_1_9m", "dense_44m_q3"}),
            "ecm may be wrong by a factor of 1.22 to 1.24: learnt for 1 of 2 models from stored runs that "
            "decoded them");
  EXPECT_EQ(
      learnt_text(learnt_errors, {"moe_ternary_8m", "dense_44m_q3"}),
      "ecm may be wrong by a factor of 1.24: a prior, no stored run that counts decoded these models yet");
}

}  // namespace
}  // namespace cli
