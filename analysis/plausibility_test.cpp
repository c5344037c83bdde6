#include "analysis/plausibility.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "analysis/derived_fields.hpp"
#include "analysis/test_submission.hpp"
#include "harness/environment.hpp"

namespace analysis {
namespace {

using Codes = std::vector<std::string>;

Codes codes(const harness::Submission& submission) {
  Codes found;
  for (const auto& finding : check_plausibility(submission)) {
    if (found.empty() || found.back() != finding.code) found.push_back(finding.code);
  }
  return found;
}

/// Likewise, and makes the forecasts anew: for tests that change the probes.
harness::Submission reforecast(harness::Submission submission) {
  for (harness::Forecast& forecast : submission.forecasts) {
    for (const auto& own : make_forecasts(submission, models::find_shape(forecast.key.model), forecast.key)) {
      if (own.id == forecast.id) forecast = own;
    }
  }
  submission.derived = derive(submission);
  return submission;
}

/// Likewise, as a failure document with one text.
Codes failure_codes(const std::string& text, std::string harness::Failure::*member) {
  harness::Submission submission = test_submission();
  submission.kind = "failure";
  submission.failure = harness::Failure{"claimed", "", "observed", "result", "", 0, {}};
  (*submission.failure).*member = text;
  return codes(submission);
}

/// Makes a run's stated figures those of its launches, so that only the rule in question can object.
harness::Submission restated(harness::Submission submission) {
  submission.derived = derive(submission);
  return submission;
}

TEST(plausibility, R21_a_failure_says_neither_who_nor_where) {
  for (const auto member :
       {&harness::Failure::claimed, &harness::Failure::observed, &harness::Failure::source,
        &harness::Failure::log_excerpt, &harness::Failure::stage}) {
    EXPECT_EQ(failure_codes("line 1\nR02 /derived/roofs: 3.5 GB/s", member), Codes());
    for (const std::string text : {"/home/ada/x", "10.1.2.3", "00:1a:2b:3c:4d:5e", "a@b.org", "\x1b[31m"})
      EXPECT_EQ(failure_codes(text, member), Codes{"R21"}) << text;
  }
  harness::Submission submission = test_submission();
  submission.kind = "failure";
  submission.failure = harness::Failure{"a", "", "b", "c", "", 0, {"ok", "host: /home/ada"}};
  EXPECT_EQ(check_plausibility(submission).at(0).pointer, "/failure/doctor/1");
}

TEST(plausibility, R03_a_failure_may_lack_launches_and_only_a_failure) {
  harness::Submission submission = test_submission();
  submission.launches.pop_back();
  while (submission.launches.back().purpose != "decode") submission.launches.pop_back();
  submission.launches.pop_back();
  submission = restated(submission);
  EXPECT_EQ(codes(submission), Codes{"R03"});
  submission.kind = "failure";
  EXPECT_EQ(codes(submission), Codes());
}

TEST(plausibility, a_good_submission_has_no_finding) {
  EXPECT_EQ(check_plausibility(test_submission()), std::vector<Finding>{});
  TestRun run;
  run.l1_bytes = run.l2_bytes = run.l3_bytes = 0;
  run.dram_bytes_per_s = 40e9;
  EXPECT_EQ(codes(test_submission(run)), Codes{});
  EXPECT_EQ(codes(restated(harness::Submission{})), Codes{});
}

TEST(plausibility, a_submission_survives_its_journey_through_json) {
  const auto text = harness::to_canonical_json(test_submission());
  EXPECT_EQ(check_plausibility(harness::submission_from_json(text)), std::vector<Finding>{});
}

TEST(plausibility, R01_an_ok_series_with_other_logits_is_rejected) {
  auto submission = test_submission();
  submission.launches[3].golden_got = std::string(64, 'b');
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R01");
  EXPECT_EQ(findings[0].severity, Severity::reject);
  EXPECT_EQ(findings[0].pointer, "/launches/3/golden_got");
  submission.launches[3].golden_got.reset();
  EXPECT_EQ(codes(submission), Codes{"R01"});
}

TEST(plausibility, R01_a_mismatch_that_is_told_as_failed_is_honest) {
  auto submission = test_submission();
  submission.launches[3].golden_got = std::string(64, 'b');
  for (auto& series : submission.launches[3].series) series.status = harness::Status::failed;
  EXPECT_EQ(codes(restated(submission)), Codes{});
}

TEST(plausibility, R01_weights_without_a_golden_digest_have_nothing_to_match) {
  auto submission = test_submission();
  submission.plans[0].weights_seed = 2;
  submission.plans[0].golden = "";
  EXPECT_EQ(codes(submission), Codes{});
}

TEST(plausibility, R02_a_changed_real_is_rejected_and_a_rounded_one_is_not) {
  auto submission = test_submission();
  auto& stated = submission.derived.decode[2].tokens_per_s.median;
  stated *= 1 + 0.9e-6;
  EXPECT_EQ(codes(submission), Codes{});
  stated *= 1 + 0.9e-6;
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R02");
  EXPECT_EQ(findings[0].pointer, "/derived/decode/2/tokens_per_s/median");
  EXPECT_EQ(findings[0].severity, Severity::reject);
}

TEST(plausibility, R02_every_single_stated_value_is_compared) {
  const auto good = test_submission();
  const auto fields = derived_fields(good.derived);
  const auto change = [](const auto& mutate) {
    auto submission = test_submission();
    mutate(submission.derived);
    return codes(submission);
  };
  EXPECT_GT(fields.size(), 150u);
  EXPECT_EQ(change([](auto& d) { d.roofs[1].size_bytes += 1; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.roofs[1].level = "l3"; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { std::get<harness::Interval>(d.roofs[3].load_latency_ns).low *= 0.9; }),
            Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.caches[0].reported_bytes += 1; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.caches[0].effective_bytes = harness::Interval{1, 1, 1}; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.decode[0].token_ns_p99 -= 1; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.decode[0].launches += 1; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.decode[2].evicted_verified = true; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.decode[0].key.isa = "scalar"; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.ratios[1].speed_ratio.high *= 1.01; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.forecast_errors[0].inside_interval = true; }), Codes{"R02"});
  EXPECT_EQ(change([](auto& d) { d.forecast_errors[0].measured_over_forecast *= 0.9; }), Codes{"R02"});
}

TEST(plausibility, R02_lists_must_have_the_same_entries_in_the_same_order) {
  auto submission = test_submission();
  std::swap(submission.derived.decode[0], submission.derived.decode[1]);
  EXPECT_EQ(codes(submission), Codes{"R02"});
  submission = test_submission();
  submission.derived.roofs.pop_back();
  EXPECT_EQ(codes(submission), Codes{"R02"});
  submission = test_submission();
  submission.derived.flags.push_back({"steal", "invented", 1});
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].pointer, "/derived/flags/0/code");
  submission = test_submission();
  submission.conditions.steal_ratio = 0.5;  // the flag that this must raise is kept quiet
  const auto missing = check_plausibility(submission);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].code, "R02");
}

TEST(plausibility, R02_a_number_that_is_none_is_never_the_same) {
  auto submission = test_submission();
  submission.derived.decode[0].weight_bytes_per_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(codes(submission), Codes{"R02"});
}

TEST(plausibility, R01_a_plan_with_its_own_idea_of_a_known_models_logits_is_rejected) {
  auto submission = test_submission();
  submission.plans[0].golden = std::string(64, '0');
  for (auto& launch : submission.launches) {
    if (launch.golden_got) launch.golden_got = submission.plans[0].golden;
  }
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R01");
  EXPECT_EQ(findings[0].pointer, "/plans/0/golden");
}

TEST(plausibility, R08_a_forecast_that_the_probes_do_not_give_is_rejected) {
  auto submission = test_submission();
  auto& point = std::get<harness::Interval>(submission.forecasts[0].tokens_per_s);
  point.median *= 1.001;
  EXPECT_EQ(codes(restated(submission)), Codes{"R08"});
  submission = test_submission();
  submission.forecasts[1].inputs_sha256 = std::string(64, '0');
  EXPECT_EQ(codes(restated(submission)), Codes{"R08"});
  submission = test_submission();
  submission.forecasts[0].tokens_per_s = harness::Unavailable{"kept quiet"};
  EXPECT_EQ(codes(restated(submission)), Codes{"R08"});
}

TEST(plausibility, R09_a_forecast_made_after_decode_began_is_rejected) {
  auto submission = test_submission();
  submission.forecasts[0].made_ns = submission.launches[1].start_ns;
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R09");
  EXPECT_EQ(findings[0].pointer, "/forecasts/0/made_ns");
}

/// A run that was paused for two seconds before its second decode launch, and read its roofs again then.
harness::Submission paused_submission() {
  auto submission = test_submission();
  auto roofs = submission.launches.back();
  roofs.purpose = "roofs_resumed";
  const int64_t second_ns = 1'000'000'000;
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    submission.launches[i].start_ns = static_cast<int64_t>(i) * 10 * second_ns;
    submission.launches[i].wall_ns = second_ns;
  }
  roofs.start_ns = 14 * second_ns;
  roofs.wall_ns = second_ns;
  submission.launches.insert(submission.launches.begin() + 2, roofs);
  submission.interruptions = {{2, "resumed", 2 * second_ns, 13 * second_ns}};
  return restated(submission);
}

TEST(plausibility, R04_what_was_made_for_a_claim_is_younger_than_its_seal) {
  auto submission = test_submission();
  submission.created_utc = "2026-12-01T10:00:00Z";
  submission.claim = harness::ClaimReference{"c", std::string(64, 'a'), "2026-12-01T10:00:00Z"};
  submission.machine.machine_key = harness::machine_key(submission.machine);
  EXPECT_EQ(codes(submission), Codes{});
  submission.claim->sealed_utc = "2026-12-01T10:00:01Z";
  EXPECT_EQ(codes(submission), Codes{"R04"});
}

TEST(plausibility, R04_what_was_made_for_a_claim_has_the_key_of_its_machine) {
  auto submission = test_submission();
  submission.created_utc = "2026-12-01T10:00:00Z";
  submission.claim = harness::ClaimReference{"c", std::string(64, 'a'), "2026-12-01T10:00:00Z"};
  submission.machine.machine_key = std::string(64, 'b');
  EXPECT_EQ(codes(submission), Codes{"R04"});
  submission.claim.reset();  // what is made for no claim need not say which machine it is
  EXPECT_EQ(codes(submission), Codes{});
}

TEST(plausibility, R10_a_pause_lies_in_the_gap_before_its_launch) {
  EXPECT_EQ(codes(paused_submission()), Codes{});
  const auto refused = [](const std::function<void(harness::Interruption&)>& change) {
    auto submission = paused_submission();
    change(submission.interruptions[0]);
    return codes(restated(submission)) == Codes{"R10"};
  };
  EXPECT_TRUE(refused([](auto& pause) { pause.before_launch = 99; }));
  EXPECT_TRUE(refused([](auto& pause) { pause.before_launch = -1; }));
  EXPECT_TRUE(refused([](auto& pause) { pause.before_launch = 3; }));
  EXPECT_TRUE(refused([](auto& pause) { pause.paused_ns = 3'000'000'000; }));
  EXPECT_TRUE(refused([](auto& pause) { pause.resumed_ns = 15'000'000'000; }));
}

TEST(plausibility, P01_holds_experts_to_what_one_token_reads_of_them) {
  TestRun run;
  run.l3_bytes = 12 << 20;  // holds what a token reads of the model below, but not all its experts
  auto submission = test_submission(run);
  const models::Shape& shape = models::find_shape("moe_ternary_105m");
  submission.plans[0].model = shape.name;
  submission.plans[0].golden = models::expected_golden(shape);
  submission.plans[0].routing = "sticky:0.45";
  submission.plans[0].weight_bytes_per_token = models::cost(shape).weight_bytes_per_token;
  submission.forecasts.clear();
  const auto at = [&](double bytes_per_s) {
    auto made = submission;
    const double ns = static_cast<double>(made.plans[0].weight_bytes_per_token) / bytes_per_s * 1e9;
    for (auto& launch : made.launches) {
      if (launch.purpose != "decode") continue;
      launch.golden_got = made.plans[0].golden;
      for (auto& series : launch.series) {
        series.model = shape.name;
        for (size_t i = 0; i < series.samples.size(); ++i)
          series.samples[i] = static_cast<int64_t>(ns) * 32 + static_cast<int64_t>(i);
      }
    }
    return codes(restated(made));
  };
  EXPECT_EQ(at(30e9), Codes{}) << "three times what memory gives, but L3 may hold the experts in use";
  EXPECT_EQ(at(60e9), Codes{"P01"}) << "more than L3 gives";
}

TEST(plausibility, R07_other_bytes_per_token_than_the_models_own_are_rejected) {
  auto submission = test_submission();
  submission.plans[0].weight_bytes_per_token -= 1;
  const auto findings = check_plausibility(restated(submission));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R07");
  EXPECT_EQ(findings[0].pointer, "/plans/0/weight_bytes_per_token");
  EXPECT_EQ(findings[0].detail, "stated 1933599, a token of coreflow_1_9m reads 1933600");
}

TEST(plausibility, R07_holds_a_model_of_the_family_to_its_name) {
  auto submission = test_submission();
  submission.plans[0].model = "coreflow_x512kib";
  for (auto& launch : submission.launches) {
    for (auto& series : launch.series) {
      if (series.probe == "decode") series.model = "coreflow_x512kib";
    }
  }
  const auto findings = check_plausibility(restated(submission));
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.code == "R07" &&
           finding.detail == "stated 1933600, a token of coreflow_x512kib reads 523808";
  }));
}

TEST(plausibility, R03_another_number_of_samples_than_declared_is_rejected) {
  auto submission = test_submission();
  submission.plans[0].samples_per_arm += 1;
  EXPECT_EQ(codes(submission), Codes{"R03"});
  submission = test_submission();
  submission.launches[2].series[1].samples.pop_back();
  const auto findings = check_plausibility(restated(submission));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R03");
  EXPECT_EQ(findings[0].pointer, "/launches/2/series/1/samples");
  EXPECT_EQ(findings[0].detail, "59 samples, declared 60");
}

TEST(plausibility, R03_launches_are_not_left_out) {
  auto submission = test_submission();
  submission.launches.erase(submission.launches.begin() + 2);
  const auto findings = check_plausibility(reforecast(submission));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "R03");
  EXPECT_EQ(findings[0].pointer, "/plans/0/launches");
  submission = test_submission();
  submission.launches[2].round = submission.launches[3].round;
  EXPECT_EQ(codes(reforecast(submission)), Codes{"R03"});
}

TEST(plausibility, R03_a_curve_has_equally_many_samples_at_every_size) {
  auto submission = test_submission();
  submission.launches[0].series[0].samples_by_size[4].pop_back();
  EXPECT_EQ(codes(reforecast(submission)), Codes{"R03"});
  submission = test_submission();
  submission.launches[0].series[2].work_per_sample.pop_back();
  EXPECT_EQ(codes(reforecast(submission)), Codes{"R03"});
}

TEST(plausibility, R03_decode_belongs_to_a_plan) {
  auto submission = test_submission();
  submission.launches[5].plan = 1;
  EXPECT_EQ(codes(restated(submission)), Codes{"R03"});
  submission.launches[5].plan = -1;
  EXPECT_EQ(codes(restated(submission)), Codes{"R03"});
}

TEST(plausibility, R03_failed_series_may_be_short) {
  auto submission = test_submission();
  for (auto& series : submission.launches[2].series) {
    series.status = harness::Status::failed;
    series.samples.resize(3);
  }
  EXPECT_EQ(codes(restated(submission)), Codes{});
}

TEST(plausibility, P01_more_bytes_than_the_read_curve_gives_are_quarantined_with_the_sum) {
  TestRun run;
  run.arms[0].second = run.arms[1].second = 44'000;  // 1.93 MB in 44 µs: 43.9 GB/s of 44
  EXPECT_EQ(codes(test_submission(run)), Codes{});
  run.arms[0].second = 43'000;
  run.arms[1].second = 45'000;
  const auto findings = check_plausibility(test_submission(run));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "P01");
  EXPECT_EQ(findings[0].severity, Severity::quarantine);
  EXPECT_EQ(findings[0].pointer, "/derived/decode/0/tokens_per_s");
  EXPECT_NE(findings[0].detail.find("1.10 × 1.000 (best repeat) × 4e+10"), std::string::npos)
      << findings[0].detail;
}

TEST(plausibility, P01_a_roof_that_was_higher_after_decode_raises_the_limit) {
  TestRun run;
  run.arms[0].second = run.arms[1].second = 40'000;
  EXPECT_EQ(codes(test_submission(run)), Codes{"P01"});
  run.after_ratio = 1.2;
  EXPECT_EQ(codes(test_submission(run)), Codes{});
  run.after_ratio = 0.5;
  EXPECT_EQ(codes(test_submission(run)), Codes{"P01"});
}

TEST(plausibility, P01_a_repeat_at_a_size_that_was_not_measured_before_raises_nothing) {
  TestRun run;
  run.arms[0].second = run.arms[1].second = 40'000;
  auto submission = test_submission(run);
  submission.launches.back().series[0].sizes_bytes[2] = 1 << 30;
  submission.launches.back().series[0].work_per_sample[2] *= 4;
  EXPECT_EQ(codes(restated(submission)), Codes{"P01"});
}

TEST(plausibility, P01_grants_that_a_fifth_of_the_working_set_is_rarely_touched) {
  TestRun run;  // 64 GB/s up to 1.7 MB: 0.8 × the working set of 2.09 MB lies inside, the whole does not
  run.l2_bytes = 1'700'000;
  run.l2_bytes_per_s = 64e9;
  run.l3_bytes_per_s = 30e9;
  auto submission = test_submission(run);
  submission.launches[0].series[0].sizes_bytes.push_back(1'700'000);
  submission.launches[0].series[0].work_per_sample.push_back(128'000'000);
  submission.launches[0].series[0].samples_by_size.emplace_back(5, test_sample_ns);
  EXPECT_EQ(codes(reforecast(submission)), Codes{});
  submission.launches[0].series[0].work_per_sample.back() = 20'000'000;
  EXPECT_NE(codes(reforecast(submission)), Codes{});
}

TEST(plausibility, P01_has_no_fixed_limit_without_a_curve) {
  TestRun run;
  run.arms[0].second = run.arms[1].second = 40'000;
  auto submission = test_submission(run);
  submission.launches[0].series[0].status = harness::Status::unavailable;
  EXPECT_EQ(codes(reforecast(submission)), Codes{});
}

using Unchecks = std::vector<Unchecked>;

TEST(plausibility, nothing_is_left_unchecked_in_a_whole_run) {
  EXPECT_EQ(unchecked_rules(test_submission()), Unchecks{});
}

TEST(plausibility, a_decode_without_probes_says_which_rules_were_not_checked_and_why) {
  auto submission = test_submission();
  submission.protocol = "decode";
  std::erase_if(submission.launches, [](const auto& launch) { return launch.purpose != "decode"; });
  submission.forecasts.clear();
  submission = restated(submission);
  EXPECT_EQ(codes(submission), Codes{});
  const auto unchecked = unchecked_rules(submission);
  ASSERT_EQ(unchecked.size(), 2u);
  EXPECT_EQ(unchecked[0].code, "P01");
  EXPECT_EQ(unchecked[0].reason.find("4 of 4 decode figures: no read curve (load_bandwidth: "), 0u)
      << unchecked[0].reason;
  EXPECT_EQ(unchecked[1],
            (Unchecked{"P02", "4 of 4 decode figures and read roofs: no clock of the core (core_clock)"}));
}

TEST(plausibility, P01_is_not_checked_for_several_threads_and_unknown_models) {
  auto submission = test_submission();
  submission.plans[0].threads = 2;
  EXPECT_EQ(unchecked_rules(submission),
            (Unchecks{{"P01", "4 of 4 decode figures: the read curve is that of one thread"}}));
  submission.plans[0].threads = 1;
  submission.plans[0].model = "own_model";
  for (auto& launch : submission.launches)
    for (auto& series : launch.series)
      if (!series.arm.empty()) series.model = "own_model";
  EXPECT_EQ(unchecked_rules(submission),
            (Unchecks{{"P01", "4 of 4 decode figures: this version does not know the model own_model"}}));
}

TEST(plausibility, P02_no_core_loads_more_vectors_per_cycle_than_it_has_ports) {
  TestRun run;
  run.l1_bytes_per_s = 403e9;  // 3 × 32 × 4 GHz × 1.05 = 403.2
  EXPECT_EQ(codes(test_submission(run)), Codes{});
  run.l1_bytes_per_s = 405e9;
  const auto findings = check_plausibility(test_submission(run));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "P02");
  EXPECT_EQ(findings[0].severity, Severity::quarantine);
  EXPECT_EQ(findings[0].pointer, "/derived/roofs/0/read_bytes_per_s");
}

TEST(plausibility, P02_wider_streams_may_be_faster_and_no_clock_means_no_limit) {
  TestRun run;
  run.l1_bytes_per_s = 405e9;
  auto submission = test_submission(run);
  submission.launches[0].series[0].params["isa"] = std::string("avx512");
  EXPECT_EQ(codes(restated(submission)), Codes{});  // 2 × 64 × 4 GHz × 1.05 = 537.6
  submission = test_submission(run);
  submission.launches[0].series[3].status = harness::Status::unavailable;
  EXPECT_EQ(codes(restated(submission)), Codes{});
}

TEST(plausibility, P02_the_highest_clock_sample_counts) {
  TestRun run;
  run.l1_bytes_per_s = 405e9;
  auto submission = test_submission(run);
  submission.launches[0].series[3].samples_by_size[0][2] = test_sample_ns * 9 / 10;
  EXPECT_EQ(codes(restated(submission)), Codes{});
}

TEST(plausibility, P02_holds_each_of_several_cores_against_the_limit_of_one) {
  auto submission = test_submission();
  auto team = test_curve("dram_stream", "bytes", {256 << 20}, [](int64_t) { return 800e9; });
  team.params["threads"] = int64_t{2};  // 3 × 32 × 4 GHz × 1.05 = 403.2 each
  submission.launches[0].series.push_back(team);
  EXPECT_EQ(codes(restated(submission)), Codes{});
  submission.launches[0].series.back().work_per_sample[0] =
      submission.launches[0].series.back().work_per_sample[0] / 80 * 81;
  const auto findings = check_plausibility(restated(submission));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "P02");
  EXPECT_EQ(findings[0].pointer, "/derived/roofs/4/read_bytes_per_s");
}

TEST(plausibility, P02_also_bounds_decode) {
  TestRun run;
  run.l1_bytes_per_s = run.l2_bytes_per_s = run.l3_bytes_per_s = 64e9;
  run.clock_hz = 0.65e9;  // 65.5 GB/s with 32-byte vectors, 32.8 with 16
  auto submission = test_submission(run);
  EXPECT_EQ(codes(submission), Codes{});
  submission.plans[0].isa = "scalar";
  run.arms[0].second = run.arms[1].second = 56'000;
  for (size_t i = 0; i < 5; ++i) {
    for (auto& series : submission.launches[1 + i].series) {
      if (series.arm == "warm") series = test_arm(run, submission.plans[0], "warm", 56'000, i);
    }
  }
  const auto findings = check_plausibility(restated(submission));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "P02");
  EXPECT_EQ(findings[0].pointer, "/derived/decode/0/weight_bytes_per_s");
}

}  // namespace
}  // namespace analysis
