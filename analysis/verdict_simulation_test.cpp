// Simulated studies: do verdicts err as rarely as promised?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/launch_model.hpp"
#include "analysis/test_claim.hpp"
#include "analysis/verdict.hpp"

namespace analysis {
namespace {

using nlohmann::json;

/// Shares of verdicts in simulated studies whose truth is known, launches as LaunchModel draws them.
struct Rates {
  double supported = 0, falsified = 0, unproven = 0;
};
Rates simulate(const Claim& claim, const std::vector<double>& truths, uint64_t seed_of_model,
               double control = 1) {
  LaunchModel model(seed_of_model);
  constexpr int studies = 1000;
  Rates rates;
  for (int study = 0; study < studies; ++study) {
    ClaimValues values;
    for (const double truth : truths) {
      auto& rounds = values.parts.emplace_back();
      for (const double value : model.launch_medians(claim.launches, 20)) rounds.emplace_back(truth * value);
    }
    values.controls.push_back({"aa", model.launch_medians(claim.launches, 20)});
    for (double& ratio : values.controls[0].ratios) ratio *= control;
    const MachineVerdict verdict = judge_values(claim, values);
    rates.supported += (verdict.verdict == "supported") / static_cast<double>(studies);
    rates.falsified += (verdict.verdict == "falsified") / static_cast<double>(studies);
    rates.unproven += verdict.unproven / static_cast<double>(studies);
  }
  return rates;
}

// 1,000 studies: a share of 2.5 % has a standard error of 0.5 points.
TEST(verdict, simulated_studies_at_the_margin_err_as_rarely_as_promised) {
  const Rates margin = simulate(test_claim(), {2.0}, 21);
  EXPECT_LT(margin.falsified, 0.04);
  EXPECT_LT(margin.supported, 0.04);
  EXPECT_GT(margin.falsified + margin.supported, 0.02);  // and no rarer: the intervals are not idle
  EXPECT_NEAR(margin.unproven, 0.05, 0.025);             // A/A controls fail one study in twenty by chance
}

TEST(verdict, simulated_true_studies_are_supported_and_false_ones_falsified) {
  const Rates holds = simulate(test_claim(), {2.2}, 22), fails = simulate(test_claim(), {1.8}, 23);
  EXPECT_GT(holds.supported, 0.99);
  EXPECT_EQ(holds.falsified, 0);
  EXPECT_GT(fails.falsified, 0.99);
  EXPECT_EQ(fails.supported, 0);
}

Claim of_four_parts() {
  return test_claim([](json& c) {
    for (const char* name : {"b", "c", "d"}) {
      c["parts"].push_back(c["parts"][0]);
      c["parts"].back()["name"] = name;
    }
  });
}

TEST(verdict, simulated_studies_of_several_parts_keep_the_promise_together) {
  const Claim claim = of_four_parts();
  const Rates margin = simulate(claim, {2, 2, 2, 2}, 24);
  EXPECT_LT(margin.falsified, 0.04);  // Holm: four chances to err are one
  EXPECT_LT(margin.supported, 0.01);
  const Rates one_fails = simulate(claim, {2.2, 2.2, 1.8, 2.2}, 25);
  EXPECT_GT(one_fails.falsified, 0.99);
  EXPECT_GT(simulate(claim, {2.2, 2.2, 2.2, 2.2}, 26).supported, 0.97);
}

TEST(verdict, simulated_equivalence_at_its_margin_errs_as_rarely_as_promised) {
  const Claim claim = test_claim([](json& c) {
    c["parts"][0]["region"] = {{"low", 0.95}, {"high", 1.0 / 0.95}};
    c["parts"][0]["true_value"] = 1.0;
    c["parts"][0]["false_value"] = 0.85;
  });
  EXPECT_LT(simulate(claim, {0.95}, 27).supported, 0.04);
  EXPECT_LT(simulate(claim, {0.95}, 27).falsified, 0.04);
  EXPECT_GT(simulate(claim, {1.0}, 28).supported, 0.95);
}

TEST(verdict, a_control_that_is_off_is_noticed_in_simulated_studies) {
  EXPECT_GT(simulate(test_claim(), {2.2}, 29, 1.05).unproven, 0.99);
}

}  // namespace
}  // namespace analysis
