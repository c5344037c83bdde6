#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/test_submission.hpp"
#include "harness/residency.hpp"

namespace analysis {
namespace {

constexpr double ms = 1e6;
constexpr int64_t mib = 1 << 20;

/// A 16 MiB set in L3 that loses half of its lines in `half_life_ms`: laps last 500 µs warm and 1,300 µs
/// cold.
harness::Series rested(double half_life_ms) {
  harness::Series series;
  series.probe = "retention";
  series.work_unit = "bytes";
  const double delays_ms[] = {0, 1, 2, 5, 10, 20, 50, 100};
  series.params = harness::calibration_params({150, 128, 0, 64, 0});
  series.params["delays"] = int64_t{8};
  series.params["level_0"] = std::string("l3");
  series.params["flushed_lap_0_ns"] = int64_t{1'300'000};
  for (size_t i = 0; i < 8; ++i) {
    const double left = std::exp2(-delays_ms[i] / half_life_ms);
    const std::string number = std::to_string(i);
    series.params["delay_" + number + "_ns"] = std::llround(delays_ms[i] * ms);
    series.params["lines_" + number] = int64_t{160};
    series.params["resident_lines_" + number] = std::llround(160 * left);
    series.sizes_bytes.push_back(16 * mib);
    const int64_t lap_ns = std::llround(1'300'000 - left * 800'000);
    series.samples_by_size.push_back({lap_ns, lap_ns + 1000, lap_ns - 1000, lap_ns + 500, lap_ns - 500});
  }
  series.work_per_sample = series.sizes_bytes;
  return series;
}

harness::Submission with_retention(const harness::Series& series) {
  auto made = test_submission();
  made.launches.front().series.push_back(series);
  made.derived = derive(made);
  return made;
}

const harness::Flag* flag_of(const harness::Submission& made, const std::string& code) {
  const auto& flags = made.derived.flags;
  const auto found =
      std::find_if(flags.begin(), flags.end(), [&](const auto& flag) { return flag.code == code; });
  return found == flags.end() ? nullptr : &*found;
}

TEST(DeriveRetention, gives_the_half_life_of_each_set_by_both_methods) {
  const auto retention = with_retention(rested(12)).derived.retention;
  ASSERT_EQ(retention.size(), 2u);
  for (const auto& estimate : retention) {
    EXPECT_EQ(estimate.level, "l3");
    EXPECT_EQ(estimate.set_bytes, 16 * mib);
    EXPECT_EQ(estimate.longest_delay_ns, 100'000'000);
    ASSERT_TRUE(available(estimate.half_life_ns))
        << std::get<harness::Unavailable>(estimate.half_life_ns).reason;
    const auto& half_life = std::get<harness::Interval>(estimate.half_life_ns);
    EXPECT_NEAR(half_life.median, 12 * ms, 2 * ms);
    EXPECT_LT(half_life.low, half_life.median);
    EXPECT_GT(half_life.high, half_life.median);
  }
  EXPECT_NE(retention[0].method, retention[1].method);
}

TEST(DeriveRetention, a_cache_that_loses_nothing_has_a_lower_bound) {
  const auto retention = with_retention(rested(1e9)).derived.retention;
  ASSERT_EQ(retention.size(), 2u);
  for (const auto& estimate : retention) {
    EXPECT_FALSE(available(estimate.half_life_ns));
    EXPECT_EQ(estimate.longer_than_ns, 100 * ms);
  }
}

TEST(DeriveRetention, without_a_meter_the_laps_alone_tell) {
  auto series = rested(12);
  series.params.erase("threshold_ticks");
  const auto retention = with_retention(series).derived.retention;
  EXPECT_FALSE(available(retention[0].half_life_ns));
  EXPECT_TRUE(available(retention[1].half_life_ns));
}

TEST(DeriveRetention, is_empty_without_the_probe_and_for_delays_in_disorder) {
  EXPECT_TRUE(derive(test_submission()).retention.empty());
  auto series = rested(12);
  series.params["delay_3_ns"] = int64_t{0};
  EXPECT_TRUE(with_retention(series).derived.retention.empty());
  series = rested(12);
  series.params["delays"] = int64_t{7};
  EXPECT_TRUE(with_retention(series).derived.retention.empty());
}

TEST(DeriveRetention, weights_that_come_back_too_late_are_flagged) {
  EXPECT_EQ(flag_of(with_retention(rested(12)), "retouch_too_slow"), nullptr) << "a token takes 0.06 ms";
  EXPECT_EQ(flag_of(with_retention(rested(1e9)), "retouch_too_slow"), nullptr);
  TestRun run;
  for (auto& arm : run.arms) arm.second *= 150;  // 9 ms
  auto slow = test_submission(run);
  slow.launches.front().series.push_back(rested(12));
  slow.derived = derive(slow);
  const auto* flag = flag_of(slow, "retouch_too_slow");
  ASSERT_NE(flag, nullptr);
  EXPECT_NEAR(flag->value, 9.0 / 12, 0.15);
}

TEST(DeriveRetention, two_methods_whose_capacities_do_not_meet_are_flagged) {
  const auto estimate = [](const char* level, double bytes, const char* retouch) {
    harness::CacheEstimate made;
    made.level = level;
    made.effective_bytes = harness::Interval{bytes, 0.9 * bytes, 1.1 * bytes};
    made.retouch = retouch;
    return made;
  };
  std::vector<harness::Flag> flags;
  flag_capacities({estimate("l2", 1e6, "stream"), estimate("l2", 1.05e6, "chase"),
                   estimate("l3", 90e6, "stream"), estimate("l3", 10e6, "chase")},
                  flags);
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].code, "capacities_disagree");
  EXPECT_NE(flags[0].detail.find("90000000"), std::string::npos) << flags[0].detail;
  EXPECT_NE(flags[0].detail.find("10000000"), std::string::npos) << flags[0].detail;
}

}  // namespace
}  // namespace analysis
