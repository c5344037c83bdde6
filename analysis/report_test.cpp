#include "analysis/report.hpp"

#include <gtest/gtest.h>

#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

TEST(report, one_sentence_tells_speed_effects_and_forecast) {
  EXPECT_EQ(one_sentence(test_submission()),
            "coreflow_1_9m (avx2): warm 16,667 tok/s; flushing the weights before every token makes it 2.00 "
            "× slower "
            "[2.00–2.00]; a concurrent reader makes it 1.02 × slower [1.02–1.02]; the curve forecast was 24 "
            "% high.");
}

TEST(report, compares_with_the_warm_speed_of_another_isa) {
  auto submission = test_submission();
  const harness::DecodeKey key = submission.derived.decode[0].key;
  submission.derived.ratios.push_back({"avx2/avx2_rowmajor", key, 10, {1.534, 1.501, 1.556}});
  const auto text = one_sentence(submission);
  EXPECT_NE(text.find("; 1.53 × the warm speed of avx2_rowmajor [1.50–1.56]; the curve"), std::string::npos)
      << text;
  submission.derived.ratios.back().launches = 1;
  EXPECT_NE(one_sentence(submission).find("; 1.53 × the warm speed of avx2_rowmajor; the curve"),
            std::string::npos);
}

TEST(report, says_when_a_difference_cannot_be_told) {
  TestRun run;
  run.arms = {{"warm", 60'000}, {"aa", 60'000}, {"evict_read", 60'000}};
  run.arm_factor = [](const std::string& arm, size_t launch) {
    return arm == "evict_read" ? 1 + 0.02 * (static_cast<double>(launch) - 2) : 1.0;
  };
  const auto text = one_sentence(test_submission(run));
  EXPECT_NE(
      text.find("a concurrent reader makes no difference that 5 launches can tell (1.00 × [0.96–1.04])"),
      std::string::npos)
      << text;
}

harness::Slowdown example_slowdown(const std::string& arm, const harness::Interval& total) {
  harness::Slowdown made;
  made.arm = arm;
  made.key.model = "coreflow_1_9m";
  made.key.isa = "avx2";
  made.key.mode = arm;
  made.launches = 10;
  made.time_ratio = total;
  made.core_sharing = {"shown", harness::Interval{1.03, 1.02, 1.04}};
  made.bandwidth = {"shown", harness::Interval{1.01, 1.005, 1.02}};
  made.eviction = {"none_shown", harness::Interval{1.0, 0.99, 1.012}};
  return made;
}

TEST(report, says_where_slow_downs_come_from) {
  harness::Submission made;
  harness::Derived& derived = made.derived;
  EXPECT_TRUE(slowdown_sentences(made).empty());
  derived.slowdowns.push_back(example_slowdown("evict_flush", {2.1, 2.0, 2.2}));
  derived.slowdowns[0].core_sharing =
      derived.slowdowns[0].bandwidth = {"not_applicable", harness::Unavailable{"no other thread runs"}};
  derived.slowdowns[0].eviction = {"shown", harness::Interval{2.1, 2.0, 2.2}};
  derived.slowdowns.push_back(example_slowdown("evict_read", {1.04, 1.02, 1.06}));
  auto found = slowdown_sentences(made);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0],
      "coreflow_1_9m on avx2: flushing all weights costs 2.10× [2.00–2.20]; evict_read costs 4 % [2–6]: "
      "core sharing 3 %, bandwidth 1 %, eviction none shown (at most 1 %).");
  derived.slowdowns[1].key.isa = "scalar";
  EXPECT_EQ(slowdown_sentences(made).size(), 2U);
}

TEST(report, says_when_the_cause_of_a_slow_down_cannot_be_told) {
  const harness::SlowdownPart unknown{"cannot_tell", harness::Unavailable{"stream_llc gave no speed"}};
  harness::Submission made;
  harness::Derived& derived = made.derived;
  derived.slowdowns = {example_slowdown("evict_read", {1.2, 1.1, 1.3})};
  derived.slowdowns[0].eviction = unknown;
  EXPECT_NE(slowdown_sentences(made)[0].find("bandwidth 1 %, eviction cannot be told."), std::string::npos);
  derived.slowdowns[0].core_sharing = derived.slowdowns[0].bandwidth = unknown;
  EXPECT_EQ(slowdown_sentences(made)[0],
            "coreflow_1_9m on avx2: evict_read costs 20 % [10–30], and why cannot be told.");
  derived.slowdowns[0].time_ratio = {0.998, 0.98, 1.02};
  EXPECT_EQ(slowdown_sentences(made)[0],
            "coreflow_1_9m on avx2: evict_read costs nothing that 10 launches can show (at most 2 %).");
}

/// A run of one plan with controls on another core, whose clock in `spin` is `clock_ratio` of that in `warm`
/// (0: not known).
std::string sentence_of(const std::string& placement, double clock_ratio) {
  harness::Submission made;
  auto slowdown = example_slowdown("evict_read", {1.04, 1.02, 1.06});
  slowdown.key.placement = placement;
  made.derived.slowdowns = {slowdown};
  harness::Plan plan;
  plan.model = slowdown.key.model;
  plan.isa = slowdown.key.isa;
  plan.arms = {"warm", "spin"};
  made.plans = {plan};
  harness::Launch launch;
  launch.plan = 0;
  launch.series.resize(2);
  launch.series[0].arm = "warm";
  launch.series[1].arm = "spin";
  if (clock_ratio > 0) {
    launch.series[0].totals.core_clock_high_hz = 4'000'000'000;
    launch.series[1].totals.core_clock_high_hz = static_cast<int64_t>(4e9 * clock_ratio);
  }
  made.launches = {launch};
  return slowdown_sentences(made).at(0);
}

TEST(report, names_what_a_spinning_thread_on_another_core_costs_after_the_measured_clock) {
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(sentence_of("sibling", 1), "core sharing 3 %")) << sentence_of("sibling", 1);
  EXPECT_TRUE(
      says(sentence_of("sibling", 0.9), "core sharing and clock (the core's clock fell by 10 %) 3 %"));
  EXPECT_TRUE(says(sentence_of("same_llc", 0.97), "clock (the core's clock fell by 3 %) 3 %"));
  EXPECT_TRUE(says(sentence_of("same_llc", 1), "shared unseen (its clock stays) 3 %"));
  EXPECT_TRUE(says(sentence_of("same_llc", 0), "(the clock is not known) 3 %")) << sentence_of("same_llc", 0);
}

TEST(report, a_number_that_bandwidth_and_a_shared_l2_have_together_is_said_with_both) {
  harness::Submission made;
  auto slowdown = example_slowdown("evict_read", {1.04, 1.02, 1.06});
  slowdown.key.placement = "sibling";
  slowdown.bandwidth.word = "cannot_tell";
  made.derived.slowdowns = {slowdown};
  EXPECT_NE(slowdown_sentences(made).at(0).find("bandwidth or lines lost from the shared L2 1 %"),
            std::string::npos)
      << slowdown_sentences(made).at(0);
}

TEST(report, says_when_an_arm_is_faster) {
  TestRun run;
  run.arms[3].second = 50'000;
  const auto text = one_sentence(test_submission(run));
  EXPECT_NE(text.find("a concurrent reader makes it 1.20 × faster"), std::string::npos) << text;
}

TEST(report, says_that_nothing_is_proven_when_the_control_failed) {
  TestRun run;
  run.arms[1].second = 63'000;
  const auto text = one_sentence(test_submission(run));
  EXPECT_NE(text.find("The A/A control failed: nothing in this run is proven."), std::string::npos) << text;
  EXPECT_EQ(one_sentence(test_submission()).find("proven"), std::string::npos);
}

TEST(report, gives_no_interval_for_one_launch) {
  TestRun run;
  run.launch_factors = {1};
  const auto text = one_sentence(test_submission(run));
  EXPECT_NE(text.find("makes it 2.00 × slower;"), std::string::npos) << text;
  EXPECT_NE(text.find("Too few launches"), std::string::npos) << text;
}

TEST(report, tells_forecasts_low_high_and_right) {
  auto submission = test_submission();
  auto& error = submission.derived.forecast_errors[2];
  ASSERT_EQ(error.id, "curve");
  error.measured_over_forecast = 1.25;
  EXPECT_NE(one_sentence(submission).find("the curve forecast was 20 % low"), std::string::npos);
  error.measured_over_forecast = 1.004;
  EXPECT_NE(one_sentence(submission).find("the curve forecast was right within 1 %"), std::string::npos);
  submission.derived.forecast_errors.clear();
  EXPECT_EQ(one_sentence(submission).find("forecast"), std::string::npos);
}

TEST(report, speaks_of_one_decode_only) {
  auto submission = test_submission();
  const auto text = one_sentence(submission);
  for (auto& ratio : submission.derived.ratios) ratio.key.isa = "scalar";
  EXPECT_EQ(one_sentence(submission),
            "coreflow_1_9m (avx2): warm 16,667 tok/s; the curve forecast was 24 % high.");
  submission = test_submission();
  for (size_t i : {size_t{0}, size_t{1}, size_t{2}}) submission.derived.forecast_errors[i].key.isa = "scalar";
  EXPECT_EQ(one_sentence(submission), text.substr(0, text.find("; the curve")) + ".");
}

TEST(report, claims_no_speed_when_there_is_none) {
  EXPECT_EQ(one_sentence(harness::Submission{}), "No warm decode gave a speed.");
}

TEST(report, groups_digits_of_any_length) {
  auto submission = test_submission();
  submission.derived.decode[0].tokens_per_s.median = 1234567;
  EXPECT_NE(one_sentence(submission).find("warm 1,234,567 tok/s"), std::string::npos);
  submission.derived.decode[0].tokens_per_s.median = 999;
  EXPECT_NE(one_sentence(submission).find("warm 999 tok/s"), std::string::npos);
}

TEST(report, says_from_which_cache_on_a_mixture_of_experts_has_one_speed) {
  harness::Forecast forecast;
  forecast.id = "ecm";
  forecast.key.model = "moe_ternary_206m";
  forecast.key.isa = "avx2";
  forecast.key.routing = "uniform";
  forecast.key.mode = "warm";
  forecast.experts = harness::ExpertForecast{55'400'000, 33'554'432, 0.345};
  auto other = forecast;
  other.key.mode = "evict_read";
  auto dense = forecast;
  dense.experts.reset();
  const std::vector<std::string> expected{
      "moe_ternary_206m (avx2, uniform): the same speed for the same active parameters needs 55.4 MB of "
      "last-level cache; this one holds 33.6 MB, and ecm expected 34 % of the experts' bytes in caches."};
  EXPECT_EQ(expert_sentences({dense, forecast, other, forecast}), expected);
}

}  // namespace
}  // namespace analysis
