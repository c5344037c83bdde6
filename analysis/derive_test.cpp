#include "analysis/derive.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/derive_parts.hpp"
#include "analysis/test_submission.hpp"
#include "models/shape.hpp"

namespace analysis {
namespace {

using harness::Interval;
using harness::Status;

const harness::DecodeResult& result_of(const harness::Derived& derived, const std::string& arm) {
  for (const auto& result : derived.decode) {
    if (result.arm == arm) return result;
  }
  throw std::out_of_range(arm);
}

const harness::ArmRatio& ratio_of(const harness::Derived& derived, const std::string& name) {
  for (const auto& ratio : derived.ratios) {
    if (ratio.name == name) return ratio;
  }
  throw std::out_of_range(name);
}

harness::Series& decode_series(harness::Submission& submission, size_t launch, const std::string& arm) {
  for (auto& series : submission.launches[1 + launch].series) {
    if (series.arm == arm) return series;
  }
  throw std::out_of_range(arm);
}

TEST(derive_decode, divides_tokens_by_the_time_of_both_passes) {
  const auto derived = test_submission().derived;
  ASSERT_EQ(derived.decode.size(), 4u);
  const auto& warm = result_of(derived, "warm");
  EXPECT_NEAR(warm.tokens_per_s.median, 1e9 / 60'000, 0.01);
  EXPECT_LT(warm.tokens_per_s.low, warm.tokens_per_s.median);
  EXPECT_GT(warm.tokens_per_s.high, warm.tokens_per_s.median);
  EXPECT_EQ(warm.launches, 5);
  EXPECT_NEAR(result_of(derived, "evict_flush").tokens_per_s.median, 1e9 / 120'000, 0.01);
}

TEST(derive_decode, counts_the_shorter_last_block_as_what_it_is) {
  const auto submission = test_submission();
  const auto& plan = submission.plans[0];
  EXPECT_EQ(blocks_per_pass(plan), 30);
  EXPECT_EQ(tokens_in_block(plan, 0), 32);
  EXPECT_EQ(tokens_in_block(plan, 29), 31);
  harness::Plan listed = plan;
  listed.positions = {65, 100, 200};
  listed.block_tokens = 1;
  EXPECT_EQ(blocks_per_pass(listed), 3);
  EXPECT_EQ(tokens_in_block(listed, 2), 1);
}

TEST(derive_decode, takes_percentiles_over_blocks_per_token) {
  TestRun run;
  run.launch_factors = {1, 1, 1, 1, 1};
  auto submission = test_submission(run);
  // In each of 5 launches 2 of 60 blocks take twice as long: above the 95th and below the 99th percentile.
  for (size_t i = 0; i < 5; ++i) {
    for (int64_t* ns : {&decode_series(submission, i, "warm").samples[3],
                        &decode_series(submission, i, "warm").samples[40]}) {
      *ns = int64_t{32} * 120'000;
    }
  }
  const auto derived = derive(submission);
  EXPECT_NEAR(static_cast<double>(result_of(derived, "warm").token_ns_p50), 60'000, 10);
  EXPECT_EQ(result_of(derived, "warm").token_ns_p99, 120'000);
  EXPECT_LT(result_of(derived, "aa").token_ns_p99, 60'100);
}

TEST(derive_decode, relates_weight_bytes_to_the_best_roof) {
  const auto derived = test_submission().derived;
  const auto& warm = result_of(derived, "warm");
  const auto bytes = models::cost(models::find_shape("coreflow_1_9m")).weight_bytes_per_token;
  EXPECT_EQ(warm.weight_bytes_per_token, bytes);
  EXPECT_NEAR(warm.weight_bytes_per_s, static_cast<double>(bytes) / 60e-6, 1e4);
  EXPECT_NEAR(std::get<double>(warm.roof_fraction), static_cast<double>(bytes) / 60e-6 / 200e9, 1e-6);
}

TEST(derive_decode, has_no_roof_fraction_without_a_roof) {
  auto submission = test_submission();
  submission.launches[0].series.clear();
  EXPECT_EQ(std::get<harness::Unavailable>(result_of(derive(submission), "warm").roof_fraction).reason,
            "no read roof was measured");
}

TEST(derive_decode, takes_the_bytes_of_a_token_from_the_plan_so_that_a_model_of_a_file_has_them_too) {
  auto submission = test_submission();
  submission.plans[0].model = "i8_file";
  submission.plans[0].weight_bytes_per_token = 1000;
  const auto result = result_of(derive(submission), "warm");
  EXPECT_EQ(result.weight_bytes_per_token, 1000);
  EXPECT_DOUBLE_EQ(result.weight_bytes_per_s, 1000 * result.tokens_per_s.median);
  EXPECT_TRUE(available(result.roof_fraction));
}

TEST(derive_decode, states_that_no_eviction_was_verified) {
  const auto derived = test_submission().derived;
  const auto why = [&](const char* arm) {
    return std::get<harness::Unavailable>(result_of(derived, arm).evicted_verified).reason;
  };
  EXPECT_EQ(why("evict_flush"), "a flush is what other evictions are held against");
  EXPECT_EQ(why("evict_read"), "a concurrent antagonist evicts nothing that could be verified");
}

TEST(derive_decode, the_control_is_a_warm_decode_under_its_own_name) {
  const auto derived = test_submission().derived;
  EXPECT_EQ(result_of(derived, "aa").key, result_of(derived, "warm").key);
  EXPECT_EQ(result_of(derived, "aa").key.mode, "warm");
  EXPECT_EQ(result_of(derived, "evict_read").key.placement, "same_llc");
}

TEST(derive_decode, one_launch_gives_points) {
  TestRun run;
  run.launch_factors = {1};
  const auto derived = test_submission(run).derived;
  const auto& speed = result_of(derived, "warm").tokens_per_s;
  EXPECT_EQ(speed.low, speed.median);
  EXPECT_EQ(speed.high, speed.median);
  EXPECT_EQ(ratio_of(derived, "evict_flush/warm").launches, 1);
}

TEST(derive_decode, a_series_that_is_not_ok_never_gives_a_speed) {
  for (Status status : {Status::failed, Status::unavailable}) {
    auto submission = test_submission();
    decode_series(submission, 2, "warm").status = status;
    EXPECT_EQ(result_of(derive(submission), "warm").launches, 4);
    EXPECT_EQ(ratio_of(derive(submission), "evict_flush/warm").launches, 4);
    for (size_t i = 0; i < 5; ++i) decode_series(submission, i, "warm").status = status;
    const auto derived = derive(submission);
    EXPECT_THROW(static_cast<void>(result_of(derived, "warm")), std::out_of_range);
    EXPECT_TRUE(derived.ratios.empty());
    EXPECT_EQ(derived.decode.size(), 3u);
  }
}

TEST(derive_decode, samples_that_make_no_speed_are_not_used) {
  auto submission = test_submission();
  decode_series(submission, 0, "warm").samples[7] = 0;
  decode_series(submission, 1, "warm").samples.clear();
  EXPECT_EQ(result_of(derive(submission), "warm").launches, 3);
}

TEST(derive_decode, launches_of_no_plan_or_another_purpose_are_not_used) {
  auto submission = test_submission();
  submission.launches[1].plan = 7;
  submission.launches[2].plan.reset();
  submission.launches[3].purpose = "probes";
  EXPECT_EQ(result_of(derive(submission), "warm").launches, 2);
  submission.plans[0].block_tokens = 0;
  EXPECT_TRUE(derive(submission).decode.empty());
}

TEST(derive_decode, absurd_plans_do_no_harm) {
  auto submission = test_submission();
  submission.plans[0].position_first = std::numeric_limits<int>::min();
  submission.plans[0].position_last = std::numeric_limits<int>::max();
  for (int block : {1, std::numeric_limits<int>::max()}) {
    submission.plans[0].block_tokens = block;
    EXPECT_GT(result_of(derive(submission), "warm").tokens_per_s.median, 0);
  }
}

TEST(derive_ratios, are_speeds_relative_to_warm_in_the_same_launch) {
  const auto derived = test_submission().derived;
  ASSERT_EQ(derived.ratios.size(), 3u);
  const auto& flush = ratio_of(derived, "evict_flush/warm");
  EXPECT_NEAR(flush.speed_ratio.median, 0.5, 1e-4);
  // Launches differ by 2 %, but both arms alike: the ratio knows nothing of it.
  EXPECT_LT(flush.speed_ratio.high / flush.speed_ratio.low, 1.0005);
  EXPECT_EQ(flush.launches, 5);
  EXPECT_EQ(flush.key.mode, "evict_flush");
  EXPECT_NEAR(ratio_of(derived, "evict_read/warm").speed_ratio.median, 60.0 / 61.0, 1e-4);
}

TEST(derive_ratios, one_slow_block_does_not_move_them) {
  auto submission = test_submission();
  for (size_t i = 0; i < 5; ++i) decode_series(submission, i, "evict_flush").samples[11] *= 50;
  EXPECT_NEAR(ratio_of(derive(submission), "evict_flush/warm").speed_ratio.median, 0.5, 1e-4);
}

TEST(derive_ratios, controls_of_several_plans_share_the_chance_of_failing) {
  TestRun run;
  run.arm_factor = [](const std::string& arm, size_t launch) {
    return arm == "aa" ? 1 + 0.01 * (static_cast<double>(launch) - 2) : 1.0;
  };
  auto submission = test_submission(run);
  const auto alone = ratio_of(derive(submission), "aa/warm").speed_ratio;
  submission.plans.push_back(submission.plans[0]);
  for (size_t i = 0; i < 5; ++i) {
    submission.launches.push_back(submission.launches[1 + i]);
    submission.launches.back().plan = 1;
  }
  const auto shared = ratio_of(derive(submission), "aa/warm").speed_ratio;
  EXPECT_EQ(shared.median, alone.median);
  EXPECT_LT(shared.low, alone.low);
  EXPECT_GT(shared.high, alone.high);
}

TEST(derive_forecast_errors, compare_each_forecast_with_its_own_decode_once) {
  const auto submission = test_submission();
  const auto& errors = submission.derived.forecast_errors;
  ASSERT_EQ(submission.forecasts.size(), 11u);
  // 3 for warm and evict_read, 2 for evict_flush; ecm lacks its probe here.
  ASSERT_EQ(errors.size(), 8u);
  const double bytes =
      static_cast<double>(models::cost(models::find_shape("coreflow_1_9m")).weight_bytes_per_token);
  EXPECT_EQ(errors[0].id, "dram_roof");
  EXPECT_EQ(errors[0].key.mode, "warm");
  EXPECT_NEAR(errors[0].measured_over_forecast, bytes / 60e-6 / 10e9, 1e-4);
  EXPECT_FALSE(errors[0].inside_interval);
  EXPECT_EQ(errors[2].id, "curve");
  EXPECT_NEAR(errors[2].measured_over_forecast, bytes / 60e-6 / 40e9, 1e-4);
}

TEST(derive_forecast_errors, tell_inside_from_outside) {
  auto submission = test_submission();
  submission.forecasts.resize(1);
  submission.forecasts[0].tokens_per_s = Interval{10'000, 9'000, 17'000};
  EXPECT_TRUE(derive(submission).forecast_errors.at(0).inside_interval);
  submission.forecasts[0].tokens_per_s = Interval{10'000, 9'000, 16'000};
  EXPECT_FALSE(derive(submission).forecast_errors.at(0).inside_interval);
  submission.forecasts[0].tokens_per_s = Interval{20'000, 17'000, 21'000};
  EXPECT_FALSE(derive(submission).forecast_errors.at(0).inside_interval);
}

TEST(derive_forecast_errors, leave_out_what_was_not_forecast_or_not_measured) {
  auto submission = test_submission();
  submission.forecasts.resize(2);
  submission.forecasts[0].tokens_per_s = harness::Unavailable{"dram_stream has not run"};
  submission.forecasts[1].key.isa = "scalar";
  EXPECT_TRUE(derive(submission).forecast_errors.empty());
}

TEST(derive, ignores_what_the_submission_states_and_repeats_itself) {
  auto submission = test_submission();
  const auto first = derive(submission).decode[0].tokens_per_s;
  submission.derived.decode[0].tokens_per_s.median = 1e9;
  submission.derived.roofs.clear();
  EXPECT_EQ(derive(submission).decode[0].tokens_per_s, first);
}

TEST(derive, makes_nothing_of_an_empty_submission) {
  const auto derived = derive(harness::Submission{});
  EXPECT_TRUE(derived.decode.empty());
  EXPECT_TRUE(derived.ratios.empty());
  EXPECT_TRUE(derived.flags.empty());
  EXPECT_EQ(derived.roofs.size(), 4u);
}

}  // namespace
}  // namespace analysis
