#include "analysis/ceilings.hpp"

#include <gtest/gtest.h>

#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

const harness::Roof& roof_of(const harness::Submission& submission, const std::string& level) {
  for (const auto& roof : submission.derived.roofs) {
    if (roof.level == level) return roof;
  }
  throw std::out_of_range(level);
}

bool is_flagged(const harness::Submission& submission) {
  for (const auto& flag : submission.derived.flags) {
    if (flag.code == "figure_invalid") return true;
  }
  return false;
}

TEST(ceilings, sums_are_ports_times_bytes_times_clock) {
  EXPECT_DOUBLE_EQ(load_bound("avx512", 3e9, 1).value, 2 * 64 * 3e9 * 1.05);
  EXPECT_DOUBLE_EQ(load_bound("avx2_vnni", 3e9, 1).value, 3 * 32 * 3e9 * 1.05);
  EXPECT_DOUBLE_EQ(load_bound("scalar", 3e9, 2).value, 2 * 3 * 16 * 3e9 * 1.05);
  EXPECT_DOUBLE_EQ(l2_bound(64, 3e9, 1).value, 64 * 3e9 * 1.05);
  EXPECT_EQ(l2_bound(64, 3e9, 1).sum, "64 bytes of a line × 3e+09 Hz × 1.05 = 2.016e+11 bytes/s");
  EXPECT_EQ(load_bound("avx2", 0, 1).value, 0) << "without a clock there is no bound";
  EXPECT_EQ(l2_bound(0, 3e9, 1).value, 0) << "nor without a line";
}

TEST(ceilings, a_good_run_has_no_invalid_figure) {
  const auto submission = test_submission();
  for (const auto& roof : submission.derived.roofs) EXPECT_EQ(roof.invalid, "") << roof.level;
  for (const auto& result : submission.derived.decode) EXPECT_EQ(result.invalid, "") << result.arm;
  EXPECT_FALSE(is_flagged(submission));
}

TEST(ceilings, l2_reads_at_most_a_line_per_cycle) {
  TestRun run;
  run.l1_bytes_per_s = 300e9;
  run.l2_bytes_per_s = 268e9;  // 64 × 4 GHz × 1.05 = 268.8
  EXPECT_EQ(roof_of(test_submission(run), "l2").invalid, "");
  run.l2_bytes_per_s = 270e9;
  const auto submission = test_submission(run);
  EXPECT_NE(roof_of(submission, "l2").invalid.find("64 bytes of a line"), std::string::npos)
      << roof_of(submission, "l2").invalid;
  EXPECT_TRUE(is_flagged(submission));
}

TEST(ceilings, an_invalid_roof_stays_but_is_not_the_best) {
  TestRun run;
  run.l1_bytes_per_s = 405e9;  // 3 × 32 × 4 GHz × 1.05 = 403.2
  const auto submission = test_submission(run);
  const auto& l1 = roof_of(submission, "l1");
  EXPECT_TRUE(available(l1.read_bytes_per_s));
  EXPECT_NE(l1.invalid.find("3 loads × 32 bytes"), std::string::npos) << l1.invalid;
  const auto& warm = submission.derived.decode.at(0);
  EXPECT_NEAR(std::get<double>(warm.roof_fraction), warm.weight_bytes_per_s / run.l2_bytes_per_s, 1e-6);
}

TEST(ceilings, memory_is_not_faster_than_a_cache) {
  TestRun run;
  run.dram_bytes_per_s = 60e9;  // L3 reads 40
  const auto submission = test_submission(run);
  EXPECT_NE(roof_of(submission, "l3").invalid, "");
  EXPECT_TRUE(is_flagged(submission));
  run.dram_bytes_per_s = 41e9;  // within what two sittings differ by
  EXPECT_EQ(roof_of(test_submission(run), "l3").invalid, "");
}

TEST(ceilings, a_dent_in_the_curve_at_the_roof_is_invalid) {
  auto submission = test_submission();
  for (auto& series : submission.launches[0].series) {
    if (series.probe != "load_bandwidth") continue;
    for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {  // around the geometric mean of L1 and L2
      if (series.sizes_bytes[i] < (128 << 10) || series.sizes_bytes[i] > (400 << 10)) continue;
      for (auto& ns : series.samples_by_size[i]) ns *= 3;
    }
  }
  submission.derived = derive(submission);
  EXPECT_NE(roof_of(submission, "l2").invalid.find("monotone fit"), std::string::npos)
      << roof_of(submission, "l2").invalid;
  EXPECT_EQ(roof_of(submission, "l1").invalid, "");
}

TEST(ceilings, what_is_evicted_cannot_be_faster_than_what_is_warm) {
  TestRun run;
  run.arms[2].second = 55'000;  // evict_flush, against 60,000 warm
  const auto submission = test_submission(run);
  for (const auto& result : submission.derived.decode) {
    EXPECT_EQ(result.invalid.empty(), result.arm != "evict_flush") << result.arm << ": " << result.invalid;
  }
  EXPECT_TRUE(is_flagged(submission));
  run.arms[2].second = 59'500;  // less than 2 %: noise
  EXPECT_FALSE(is_flagged(test_submission(run)));
}

TEST(ceilings, an_eviction_that_was_seen_not_to_evict_gives_an_invalid_speed) {
  harness::DecodeResult result;
  result.key.mode = result.arm = "evict_stream";
  std::vector<harness::DecodeResult> results(3, result);
  results[0].evicted_verified = true;
  results[1].evicted_verified = false;
  results[2].evicted_verified = harness::Unavailable{"the probe has not run"};
  mark_invalid_decode({}, results);
  EXPECT_EQ(results[0].invalid, "");
  EXPECT_NE(results[1].invalid, "");
  EXPECT_EQ(results[2].invalid, "");
}

}  // namespace
}  // namespace analysis
