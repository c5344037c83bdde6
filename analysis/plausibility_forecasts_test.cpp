#include "analysis/plausibility_forecasts.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/test_kernel_rates.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

const std::vector<harness::LearntFrom> learnt{{std::string(16, 'a'), 0.05}, {std::string(16, 'b'), 0.08}};

/// A run whose ecm was widened by what two stored runs taught.
harness::Submission learning_run() {
  auto made = test_submission();
  const auto& shape = models::find_shape("moe_ternary_402m");
  add_test_kernels(made, "avx2", shape, {100e-9, 80e9, 40e9, 10e9, 0, 0, 0});
  auto key = decode_key(made.plans[0], made.machine, "warm");
  key.model = "moe_ternary_402m";
  key.routing = "uniform";
  key.position_first = 0;
  key.position_last = 127;
  made.forecasts = make_forecasts(made, shape, key, model_error(learnt, "any"));
  return made;
}

std::string finding(const std::function<void(harness::Forecast&)>& change,
                    const harness::ForecastRecord* stored = nullptr) {
  auto run = learning_run();
  change(run.forecasts.back());
  std::vector<Finding> findings;
  check_forecasts(run, stored, findings);
  std::string text;
  for (const Finding& one : findings) text += one.code + " " + one.pointer + " " + one.detail + "\n";
  return text;
}

TEST(PlausibleForecasts, a_learnt_model_error_that_follows_from_its_runs_is_accepted) {
  ASSERT_EQ(learning_run().forecasts.back().id, "ecm");
  EXPECT_EQ(finding([](harness::Forecast&) {}), "");
  const auto run = harness::submission_from_json(harness::to_canonical_json(learning_run()));
  std::vector<Finding> findings;
  check_forecasts(run, nullptr, findings);
  EXPECT_EQ(findings, std::vector<Finding>{});
}

TEST(PlausibleForecasts, a_spread_that_its_runs_do_not_give_is_rejected) {
  const auto wrong = finding([](harness::Forecast& ecm) {
    auto& interval = std::get<harness::Interval>(ecm.tokens_per_s);
    ecm.model_error->spread_ratio = 2;
    interval.low = interval.median / 2;
    interval.high = interval.median * 2;
  });
  EXPECT_NE(wrong.find("R08 /forecasts/3 ecm: model_error states a spread of 2, its submissions give 1.1"),
            std::string::npos)
      << wrong;
}

TEST(PlausibleForecasts, a_number_of_runs_that_are_not_named_is_rejected) {
  const auto wrong = finding([](harness::Forecast& ecm) { ecm.model_error->submissions = 9; });
  EXPECT_NE(wrong.find("model_error names 2 submissions and says 9"), std::string::npos) << wrong;
}

TEST(PlausibleForecasts, a_run_named_twice_is_rejected) {
  const auto wrong = finding([](harness::Forecast& ecm) {
    ecm.model_error->learnt_from[1].document = ecm.model_error->learnt_from[0].document;
  });
  EXPECT_NE(wrong.find("twice"), std::string::npos) << wrong;
}

TEST(PlausibleForecasts, what_a_store_knows_better_of_a_run_is_rejected) {
  const auto record = [](double ratio, const char* uncounted) {
    return harness::ForecastRecord{
        {{1, std::string(64, 'b'), "m", "", uncounted}},
        {{0, 0, "ecm", ecm_version, "moe_ternary_402m", "warm", ratio, true, 1.5}}};
  };
  const auto none = [](harness::Forecast&) {};
  const auto right = record(std::exp(0.08), ""), other = record(1.2, ""), drifted = record(1.08, "aa_failed");
  EXPECT_EQ(finding(none, &right), "");
  EXPECT_NE(finding(none, &other).find("has a log error of 0.182322, stated 0.08"), std::string::npos);
  EXPECT_NE(finding(none, &drifted).find("does not count: aa_failed"), std::string::npos);
}

TEST(PlausibleForecasts, another_size_from_which_experts_are_served_alike_is_rejected) {
  EXPECT_NE(finding([](harness::Forecast& ecm) { ecm.experts->constant_from_bytes /= 2; }), "");
  EXPECT_NE(finding([](harness::Forecast& ecm) { ecm.experts->hit_ratio += 0.01; }), "");
  EXPECT_EQ(finding([](harness::Forecast& ecm) { ecm.experts.reset(); }), "");
}

}  // namespace
}  // namespace analysis
