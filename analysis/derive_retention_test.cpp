#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/test_submission.hpp"
#include "harness/line_looks.hpp"
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

/// The same set as documents hold it now: five looks of 32 lines after each delay, and the laps of the
/// flushed set in a series of their own. Every other round loses its lines `spread` times as fast.
std::vector<harness::Series> rested_by_looks(double half_life_ms, double spread = 1) {
  harness::Series series = rested(half_life_ms);
  series.params.erase("flushed_lap_0_ns");
  series.params["lines_per_look"] = int64_t{32};
  const double delays_ms[] = {0, 1, 2, 5, 10, 20, 50, 100};
  for (size_t i = 0; i < 8; ++i) {
    std::vector<int64_t> counts;
    for (int round = 0; round < 5; ++round) {
      const double own_half_life_ms = half_life_ms * (round % 2 == 0 ? spread : 1 / spread);
      counts.push_back(std::llround(32 * std::exp2(-delays_ms[i] / own_half_life_ms)));
    }
    const std::string number = std::to_string(i);
    series.params.erase("lines_" + number);
    series.params.erase("resident_lines_" + number);
    series.params["looks_" + number] = harness::look_digits(counts);
  }
  harness::Series references;
  references.probe = "retention_references";
  references.work_unit = "bytes";
  references.sizes_bytes = references.work_per_sample = {16 * mib};
  references.samples_by_size = {{1'290'000, 1'310'000, 1'300'000, 1'299'000, 1'301'000}};
  return {series, references};
}

const harness::Interval& half_life_of(const harness::Submission& made, size_t i) {
  return std::get<harness::Interval>(made.derived.retention.at(i).half_life_ns);
}

harness::Submission with_looks(const std::vector<harness::Series>& all) {
  auto made = test_submission();
  for (const auto& series : all) made.launches.front().series.push_back(series);
  made.derived = derive(made);
  return made;
}

TEST(DeriveRetention, counts_rounds_and_not_lines) {
  const auto alike = with_looks(rested_by_looks(12)), apart = with_looks(rested_by_looks(12, 1.6));
  ASSERT_EQ(alike.derived.retention.size(), 2U);
  ASSERT_TRUE(available(alike.derived.retention[0].half_life_ns));
  ASSERT_TRUE(available(apart.derived.retention[0].half_life_ns));
  EXPECT_NEAR(half_life_of(alike, 0).median, 12 * ms, 1.5 * ms);
  const auto width = [](const harness::Interval& interval) { return std::log(interval.high / interval.low); };
  EXPECT_GT(width(half_life_of(apart, 0)), 1.3 * width(half_life_of(alike, 0)))
      << "as many lines in all, but the rounds disagree";
}

TEST(DeriveRetention, takes_the_flushed_lap_from_its_laps) {
  auto all = rested_by_looks(12);
  all[0].params["flushed_lap_0_ns"] = int64_t{9'000'000};  // what a document states is not asked
  const auto stated = with_looks(all), honest = with_looks(rested_by_looks(12));
  EXPECT_EQ(half_life_of(stated, 1), half_life_of(honest, 1));
  all[1].samples_by_size[0] = {500'100, 500'100, 500'100, 500'100, 500'100};
  EXPECT_FALSE(available(with_looks(all).derived.retention.at(1).half_life_ns)) << "as fast as a warm one";
}

TEST(DeriveRetention, of_looks_that_cannot_be_is_unavailable) {
  for (const char* looks : {"", "vvvv", "vvvvz", "v*vvv"}) {
    auto all = rested_by_looks(12);
    all[0].params["looks_3"] = std::string(looks);
    EXPECT_FALSE(available(with_looks(all).derived.retention.at(0).half_life_ns)) << looks;
  }
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
