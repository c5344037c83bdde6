#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

std::vector<std::string> codes(const harness::Submission& submission) {
  std::vector<std::string> found;
  for (const auto& flag : derive(submission).flags) found.push_back(flag.code);
  return found;
}

using Codes = std::vector<std::string>;

/// One arm is faster by the same amount in every launch, give or take.
TestRun run_with(const std::string& arm, double factor) {
  TestRun run;
  run.arm_factor = [=](const std::string& which, size_t launch) {
    return which == arm ? factor + 0.001 * (static_cast<double>(launch) - 2) : 1.0;
  };
  return run;
}

TEST(derive_flags, a_good_run_has_none) {
  EXPECT_EQ(codes(test_submission()), Codes{});
}

TEST(derive_flags, a_control_that_excludes_one_is_flagged) {
  EXPECT_EQ(codes(test_submission(run_with("aa", 1.03))), Codes{"aa_failed"});
  EXPECT_EQ(codes(test_submission(run_with("aa", 0.97))), Codes{"aa_failed"});
  EXPECT_EQ(codes(test_submission(run_with("aa", 1.0))), Codes{});
  EXPECT_EQ(codes(test_submission(run_with("evict_read", 1.3))), Codes{});
  const auto flag = derive(test_submission(run_with("aa", 1.03))).flags.at(0);
  EXPECT_NEAR(flag.value, 1 / 1.03, 1e-3);
  EXPECT_NE(flag.detail.find("coreflow_1_9m"), std::string::npos);
}

TEST(derive_flags, one_launch_cannot_pass_or_fail_its_control) {
  auto run = run_with("aa", 1.03);
  run.launch_factors = {1};
  EXPECT_EQ(codes(test_submission(run)), Codes{"too_few_launches"});
  run.launch_factors = {1, 1};
  run.arm_factor = nullptr;
  EXPECT_EQ(codes(test_submission(run)), Codes{});
}

TEST(derive_flags, roofs_that_moved_more_than_five_percent_are_named_by_level) {
  TestRun run;
  run.after_ratio = 1.049;
  EXPECT_EQ(codes(test_submission(run)), Codes{});
  run.after_ratio = 0.9;
  const auto flags = derive(test_submission(run)).flags;
  ASSERT_EQ(flags.size(), 2u);  // roofs_after measures nothing well inside L1 or L2
  const char* levels[] = {"l3", "dram"};
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(flags[i].code, "roofs_drifted");
    EXPECT_EQ(flags[i].detail.rfind(levels[i], 0), 0u) << flags[i].detail;
    EXPECT_NEAR(flags[i].value, 0.9, 1e-6);
  }
}

TEST(derive_flags, roofs_read_again_after_a_pause_are_compared_too) {
  TestRun run;
  run.after_ratio = 0.9;
  auto submission = test_submission();
  auto resumed = test_probes(run, "roofs_after");
  resumed.purpose = "roofs_resumed";
  submission.launches.insert(submission.launches.begin() + 3, resumed);
  EXPECT_EQ(codes(submission), (Codes{"roofs_drifted", "roofs_drifted"}));
}

TEST(derive_flags, pauses_are_told_with_their_length) {
  auto submission = test_submission();
  submission.interruptions = {{2, "stopped", 1'500'000'000, 0}, {4, "resumed", 60'000'000'000, 0}};
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "paused");
  EXPECT_DOUBLE_EQ(flags[0].value, 61.5);
  EXPECT_NE(flags[0].detail.find("2 times"), std::string::npos) << flags[0].detail;
  EXPECT_NE(flags[0].detail.find("before launch 2"), std::string::npos) << flags[0].detail;
}

TEST(derive_flags, only_the_level_that_moved_is_named) {
  auto submission = test_submission();
  submission.launches.back().series[0].work_per_sample[1] /= 2;  // 2 MiB
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].detail.rfind("l3 read bandwidth at 2097152 bytes was 0.500", 0), 0u) << flags[0].detail;
}

TEST(derive_flags, what_moves_at_the_edge_of_a_cache_is_not_the_machine) {
  auto submission = test_submission();
  submission.launches.back().series[0].work_per_sample[0] /= 2;  // 1 MiB, the size of L2
  EXPECT_EQ(codes(submission), Codes{});
  submission.machine.caches[1].bytes = 2 << 20;                  // now half of it
  submission.launches.back().series[0].work_per_sample[1] *= 2;  // and this is the edge
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].detail.rfind("l2 read bandwidth at 1048576 bytes was 0.500", 0), 0u) << flags[0].detail;
}

TEST(derive_flags, a_repeat_at_a_size_that_was_not_measured_before_tells_nothing) {
  auto submission = test_submission();
  submission.launches.back().series[0].sizes_bytes[2] = 1 << 30;
  submission.launches.back().series[0].work_per_sample[2] *= 2;
  EXPECT_EQ(codes(submission), Codes{});
}

TEST(derive_flags, no_repeat_means_no_drift_to_tell) {
  auto submission = test_submission();
  submission.launches.back().series[0].work_per_sample[1] /= 2;
  submission.launches.pop_back();
  EXPECT_EQ(codes(submission), Codes{});
}

TEST(derive_flags, stolen_time_over_a_hundredth_is_flagged) {
  auto submission = test_submission();
  submission.conditions.steal_ratio = 0.01;
  EXPECT_EQ(codes(submission), Codes{});
  submission.conditions.steal_ratio = 0.02;
  EXPECT_EQ(codes(submission), Codes{"steal"});
  submission.conditions.steal_ratio = harness::Unavailable{"no /proc/stat"};
  EXPECT_EQ(codes(submission), Codes{});
}

TEST(derive_flags, involuntary_switches_are_judged_per_sample) {
  auto submission = test_submission();  // 5 launches × 4 arms × 60 samples: the limit is 60
  submission.launches[1].series[0].totals.involuntary_switches = 60;
  EXPECT_EQ(codes(submission), Codes{});
  submission.launches[2].series[1].totals.involuntary_switches = 1;
  EXPECT_EQ(codes(submission), Codes{"involuntary_switches"});
  EXPECT_EQ(derive(submission).flags[0].value, 61);
}

TEST(derive_flags, ties_tell_of_a_coarse_clock) {
  auto submission = test_submission();
  for (size_t i = 1; i <= 5; ++i) {
    for (auto& series : submission.launches[i].series) {
      for (auto& ns : series.samples) ns = ns / 1'000'000 * 1'000'000;
    }
  }
  const auto found = codes(submission);
  EXPECT_EQ(std::count(found.begin(), found.end(), "clock_coarse"), 1);
}

TEST(derive_flags, speed_that_wanders_within_launches_is_flagged) {
  auto submission = test_submission();
  // Other blocks wander in each launch, so that no block is slow by itself.
  for (size_t launch = 0; launch < 5; ++launch) {
    auto& samples = submission.launches[1 + launch].series[0].samples;
    for (size_t i = 0; i < samples.size(); ++i) {
      if ((i + 11 * launch) % 40 < 20) samples[i] += samples[i] / 20;
    }
  }
  EXPECT_EQ(codes(submission), Codes{"lag1_correlation"});
}

TEST(derive_flags, cost_that_grows_with_position_is_no_correlation) {
  auto submission = test_submission();
  for (size_t launch = 0; launch < 5; ++launch) {
    auto& samples = submission.launches[1 + launch].series[0].samples;
    for (size_t i = 0; i < samples.size(); ++i) samples[i] += samples[i] * static_cast<int64_t>(i % 30) / 20;
  }
  const auto arms = collect_arms(submission);
  EXPECT_LT(lag1_correlation(arms[0], 30), 0.6);
}

TEST(derive_flags, failed_launches_are_counted_with_the_first_reason) {
  auto submission = test_submission();
  for (auto& series : submission.launches[2].series) {
    series.status = harness::Status::failed;
    series.reason = "golden mismatch";
  }
  submission.launches[4].series.clear();
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "launch_failed");
  EXPECT_EQ(flags[0].value, 2);
  EXPECT_NE(flags[0].detail.find("golden mismatch"), std::string::npos);
}

TEST(derive_flags, an_arm_this_machine_cannot_run_is_told_once) {
  auto submission = test_submission();
  for (size_t i = 1; i <= 5; ++i) {
    submission.launches[i].series[3].status = harness::Status::unavailable;
    submission.launches[i].series[3].reason = "only one PU is allowed";
  }
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "arm_unavailable");
  EXPECT_EQ(flags[0].detail, "evict_read of coreflow_1_9m: only one PU is allowed");
}

TEST(derive_flags, totals_that_contradict_medians_are_told) {
  auto submission = test_submission();
  for (size_t i = 1; i <= 5; ++i) {
    auto& samples =
        submission.launches[i].series[3].samples;  // evict_read: every tenth block takes four times as long
    for (size_t block = 0; block < samples.size(); block += 10) samples[block] *= 4;
  }
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "totals_disagree");
  EXPECT_NEAR(flags[0].value, 1 / 1.3, 0.02);
}

TEST(derive_flags, an_antagonist_that_hardly_ran_is_told_once) {
  auto submission = test_submission();
  for (size_t i = 1; i <= 5; ++i) {
    auto& params = submission.launches[i].series[3].params;
    params["antagonist_bytes"] = int64_t{64} << 20;
    params["walked_bytes"] = int64_t{128} << 20;
  }
  EXPECT_TRUE(derive(submission).flags.empty());
  submission.launches[2].series[3].params["walked_bytes"] = (int64_t{128} << 20) - 64;
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "antagonist_starved");
}

TEST(derive_flags, an_antagonist_that_had_its_pu_for_half_the_time_is_told) {
  auto submission = test_submission();
  auto& params = submission.launches[3].series[3].params;
  params["antagonist_cpu_ratio"] = 0.9;
  EXPECT_TRUE(derive(submission).flags.empty());
  params["antagonist_cpu_ratio"] = 0.5;
  const auto flags = derive(submission).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "antagonist_starved");
  EXPECT_EQ(flags[0].value, 0.5);
  EXPECT_NE(flags[0].detail.find("50 %"), std::string::npos) << flags[0].detail;
}

TEST(derive_flags, every_code_is_a_heading_of_the_page_and_every_heading_a_code) {
  std::set<std::string> headings, expected{"aa_failed",        "antagonist_starved",   "arm_unavailable",
                                           "cache_not_shared", "capacities_disagree",  "clock_coarse",
                                           "cores_moved",      "cores_shared",         "counters_disagree",
                                           "figure_invalid",   "involuntary_switches", "lag1_correlation",
                                           "launch_failed",    "not_evicted",          "paused",
                                           "retouch_too_slow", "roofs_drifted",        "steal",
                                           "thread_starved",   "too_few_launches",     "totals_disagree"};
  std::ifstream page("docs/flags.md");
  ASSERT_TRUE(page.is_open());
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) headings.insert(line.substr(3));
  }
  EXPECT_EQ(headings, expected);
  // The list above is what the source can emit.
  std::string text;
  for (const char* path :
       {"analysis/derive_flags.cpp", "analysis/derive_flags_caches.cpp", "analysis/derive_flags_roofs.cpp",
        "analysis/ceilings.cpp", "analysis/shared_cache.cpp"}) {
    std::ifstream source(path);
    ASSERT_TRUE(source.is_open()) << path;
    text.append(std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>());
  }
  std::set<std::string> emitted;
  for (size_t at = text.find("push_back("); at != std::string::npos; at = text.find("push_back(", at + 1)) {
    const size_t from = text.find_first_not_of(" \n", at + 10);
    if (text.compare(from, 2, "{\"") == 0)
      emitted.insert(text.substr(from + 2, text.find('"', from + 2) - from - 2));
  }
  EXPECT_EQ(emitted, expected);
}

}  // namespace
}  // namespace analysis
