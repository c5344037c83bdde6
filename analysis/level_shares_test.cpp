#include "analysis/level_shares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/probe_series.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

harness::Curve curve_of(const TestRun& run) {
  harness::Curve curve;
  for (const int64_t size : test_sizes()) {
    curve.sizes_bytes.push_back(size);
    curve.values.push_back(test_rate(run, size));
  }
  curve.low = curve.high = curve.values;
  return curve;
}

/// The bandwidth of a set of which `share` comes from memory at 10 GB/s and the rest from L3 at 40.
double mixed(double share) {
  return 1 / (share / 10e9 + (1 - share) / 40e9);
}

TEST(LevelShares, small_sets_are_the_l2s_middle_ones_the_l3s_large_ones_memorys) {
  const TestRun run;
  const auto machine = test_submission(run).machine;
  const auto curve = curve_of(run);
  const auto levels = std::get<std::vector<ServingLevel>>(serving_levels(machine, curve));
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(cyclic_shares(levels, curve, 64 << 10).l2, 1);
  EXPECT_EQ(cyclic_shares(levels, curve, 4 << 20).l3, 1);
  EXPECT_NEAR(cyclic_shares(levels, curve, 100e6).dram, 1, 1e-9);
  EXPECT_EQ(levels[1].holds_bytes, 32 << 20)
      << "half come from memory beyond, but no cache holds more than its size";
}

TEST(LevelShares, a_cache_larger_than_reported_holds_half_of_what_it_serves_half_of) {
  const TestRun run;
  auto machine = test_submission(run).machine;
  machine.caches[2].bytes = 8 << 20;
  const auto levels = std::get<std::vector<ServingLevel>>(serving_levels(machine, curve_of(run)));
  EXPECT_GT(levels[1].holds_bytes, 16 << 20);
  EXPECT_LT(levels[1].holds_bytes, 24 << 20);
}

TEST(LevelShares, between_two_levels_the_share_follows_from_the_bandwidth) {
  const TestRun run;
  const auto machine = test_submission(run).machine;
  auto curve = curve_of(run);
  for (size_t i = 0; i < curve.sizes_bytes.size(); ++i) {
    if (curve.sizes_bytes[i] == 24 << 20) curve.values[i] = mixed(0.25);
    if (curve.sizes_bytes[i] == 32 << 20) curve.values[i] = mixed(0.5);
  }
  curve.low = curve.high = curve.values;
  const auto levels = std::get<std::vector<ServingLevel>>(serving_levels(machine, curve));
  const LevelShares shares = cyclic_shares(levels, curve, 24 << 20);
  EXPECT_NEAR(shares.dram, 0.25, 1e-9);
  EXPECT_NEAR(shares.l3, 0.75, 1e-9);
  EXPECT_NEAR(levels[1].holds_bytes / (32 << 20), 1, 1e-6);
}

TEST(LevelShares, what_company_costs_is_hits_as_many_as_explain_the_time) {
  const TestRun run;
  const auto curve = curve_of(run);
  const auto levels =
      std::get<std::vector<ServingLevel>>(serving_levels(test_submission(run).machine, curve));
  EXPECT_NEAR(hits_left(levels, curve, 4 << 20, 1), 1, 1e-9);
  // Alone all at 40 GB/s; twice as long are a third of the bytes at 10 GB/s.
  EXPECT_NEAR(hits_left(levels, curve, 4 << 20, 2), 2.0 / 3, 1e-9);
  EXPECT_NEAR(hits_left(levels, curve, 4 << 20, 9), 0, 1e-9) << "no more than all";
  EXPECT_EQ(hits_left(levels, curve, 100e6, 2), 1) << "nothing to lose";
}

TEST(LevelShares, without_an_l3_the_l2_is_followed_by_memory) {
  TestRun run;
  run.l3_bytes = 0;
  const auto machine = test_submission(run).machine;
  const auto curve = curve_of(run);
  const auto levels = std::get<std::vector<ServingLevel>>(serving_levels(machine, curve));
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_NEAR(cyclic_shares(levels, curve, 8 << 20).dram, 1, 1e-9);
}

TEST(LevelShares, levels_of_one_speed_are_told_apart_by_size) {
  TestRun run;
  run.dram_bytes_per_s = run.l3_bytes_per_s;
  const auto machine = test_submission(run).machine;
  const auto curve = curve_of(run);
  const auto levels = std::get<std::vector<ServingLevel>>(serving_levels(machine, curve));
  EXPECT_EQ(cyclic_shares(levels, curve, 31 << 20).l3, 1);
  EXPECT_EQ(cyclic_shares(levels, curve, 33 << 20).dram, 1);
}

TEST(LevelShares, a_curve_that_ends_within_the_last_cache_says_nothing) {
  const auto machine = test_submission().machine;
  auto curve = curve_of({});
  while (curve.sizes_bytes.back() > 32 << 20) {
    curve.sizes_bytes.pop_back();
    curve.values.pop_back();
  }
  curve.low = curve.high = curve.values;
  EXPECT_FALSE(harness::available(serving_levels(machine, curve)));
  harness::Machine bare;
  EXPECT_FALSE(harness::available(serving_levels(bare, curve_of({}))));
}

}  // namespace
}  // namespace analysis
