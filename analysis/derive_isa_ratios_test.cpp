#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/derived_fields.hpp"
#include "analysis/plausibility.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

/// The built submission with its plan decoded on a second ISA, too: each round's launch takes `factor` times
/// as long as the first ISA's.
harness::Submission with_second_isa(double factor, const TestRun& run = {}) {
  auto made = test_submission(run);
  made.plans.push_back(made.plans[0]);
  made.plans[1].isa = "other_isa";
  for (size_t i = 0; i < run.launch_factors.size(); ++i) {
    harness::Launch launch = made.launches[1 + i];
    launch.plan = 1;
    for (auto& series : launch.series) {
      for (int64_t& ns : series.samples) ns = std::llround(static_cast<double>(ns) * factor);
    }
    made.launches.push_back(launch);
  }
  made.derived = derive(made);
  return made;
}

std::vector<harness::ArmRatio> isa_ratios(const harness::Submission& made) {
  std::vector<harness::ArmRatio> found;
  for (const auto& ratio : derive(made).ratios) {
    if (ratio.name.find("/warm") == std::string::npos) found.push_back(ratio);
  }
  return found;
}

TEST(derive_isa_ratios, are_warm_speeds_of_the_first_isa_relative_to_the_other_over_rounds) {
  const auto ratios = isa_ratios(with_second_isa(1.5));
  ASSERT_EQ(ratios.size(), 1u);
  EXPECT_EQ(ratios[0].name, "avx2/other_isa");
  EXPECT_EQ(ratios[0].key.isa, "avx2");
  EXPECT_EQ(ratios[0].key.mode, "warm");
  EXPECT_EQ(ratios[0].launches, 5);
  EXPECT_NEAR(ratios[0].speed_ratio.median, 1.5, 1e-4);
  // Rounds differ by 2 %, both launches of a round alike: the ratio knows nothing of it.
  EXPECT_LT(ratios[0].speed_ratio.high / ratios[0].speed_ratio.low, 1.0005);
}

TEST(derive_isa_ratios, pair_launches_by_round_whatever_their_order_in_the_document) {
  auto made = with_second_isa(1.5);
  std::reverse(made.launches.begin(), made.launches.end());
  const auto ratios = isa_ratios(made);
  ASSERT_EQ(ratios.size(), 1u);
  EXPECT_LT(ratios[0].speed_ratio.high / ratios[0].speed_ratio.low, 1.0005);
}

TEST(derive_isa_ratios, use_only_the_rounds_that_both_isas_have) {
  TestRun run;
  run.launch_factors = {1, 1, 1, 2, 3};
  auto made = with_second_isa(1.5, run);
  made.launches.resize(made.launches.size() - 2);               // the second ISA has rounds 0 … 2
  made.launches[1].series[0].status = harness::Status::failed;  // the first ISA's warm arm of round 0
  const auto ratios = isa_ratios(made);
  ASSERT_EQ(ratios.size(), 1u);
  EXPECT_EQ(ratios[0].launches, 2);
  EXPECT_NEAR(ratios[0].speed_ratio.median, 1.5, 1e-4);
}

TEST(derive_isa_ratios, count_a_round_once) {
  auto made = with_second_isa(1.5);
  made.launches.push_back(made.launches[1]);
  EXPECT_EQ(isa_ratios(made).at(0).launches, 5);
}

TEST(derive_isa_ratios, are_left_out_when_one_isa_has_no_speed) {
  for (int plan : {0, 1}) {
    auto made = with_second_isa(1.5);
    for (auto& launch : made.launches) {
      if (launch.plan != plan) continue;
      for (auto& series : launch.series) series.status = harness::Status::failed;
    }
    EXPECT_TRUE(isa_ratios(made).empty()) << plan;
  }
}

TEST(derive_isa_ratios, are_left_out_when_no_round_is_common) {
  auto made = with_second_isa(1.5);
  for (auto& launch : made.launches) launch.round += launch.plan == 1 ? 5 : 0;
  EXPECT_TRUE(isa_ratios(made).empty());
}

TEST(derive_isa_ratios, compare_only_plans_that_differ_in_the_isa_alone) {
  auto made = with_second_isa(1.5);
  made.plans[1].arms.pop_back();  // an arm more beside warm is no other way to decode
  EXPECT_FALSE(isa_ratios(made).empty());
  made.plans[1].position_first = 64;
  EXPECT_TRUE(isa_ratios(made).empty());
  made.plans[1] = made.plans[0];
  EXPECT_TRUE(isa_ratios(made).empty());
}

TEST(derive_isa_ratios, a_changed_one_is_found_at_ingest) {
  auto made = with_second_isa(1.5);
  const auto recomputed = derived_fields(derive(made));
  for (auto& ratio : made.derived.ratios) {
    if (ratio.name == "avx2/other_isa") ratio.speed_ratio.low *= 1.001;
  }
  const auto stated = derived_fields(made.derived);
  ASSERT_EQ(stated.size(), recomputed.size());
  std::vector<std::string> differing;
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!same_value(stated[i], recomputed[i])) differing.push_back(stated[i].pointer);
  }
  EXPECT_EQ(differing, std::vector<std::string>{"/derived/ratios/6/speed_ratio/low"});
}

}  // namespace
}  // namespace analysis
