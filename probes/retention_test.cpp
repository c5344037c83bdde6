#include <gtest/gtest.h>

#include <string>

#include "harness/cpu_features.hpp"
#include "harness/fake_clock.hpp"
#include "harness/line_looks.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

constexpr size_t delays = 11;

std::vector<harness::Series> run_probe(const harness::Topology& topology, harness::FakeClock& time) {
  const auto features = harness::read_cpu_features();
  return find_probe("retention").run_all(ProbeContext{topology, features, time.clock(), {}, 2, 2, 7, {}});
}

int64_t param(const harness::Series& series, const std::string& name) {
  return std::get<int64_t>(series.params.at(name));
}

TEST(Retention, reads_a_set_of_each_level_again_after_each_delay) {
  harness::FakeClock time;
  time.per_read_ns = 1000;  // spins end soon
  const auto all = run_probe(
      harness::read_synthetic_topology("pack:1 l3:1(size=8388608) l2:2(size=1048576) core:1 pu:1"), time);
  const auto& series = all.front();
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  ASSERT_EQ(series.sizes_bytes.size(), 2 * delays);
  EXPECT_EQ(series.sizes_bytes.front(), 4 << 20);
  EXPECT_EQ(series.sizes_bytes.back(), 512 << 10);
  EXPECT_EQ(std::get<std::string>(series.params.at("level_0")), "l3");
  EXPECT_EQ(std::get<std::string>(series.params.at("level_1")), "l2");
  for (const auto& laps : series.samples_by_size) EXPECT_EQ(laps, (std::vector<int64_t>{1000, 1000}));
  EXPECT_EQ(param(series, "delay_0_ns"), 0);
  EXPECT_EQ(param(series, "delay_10_ns"), 100'000'000);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].probe, "retention_references");
  EXPECT_EQ(all[1].sizes_bytes, (std::vector<int64_t>{4 << 20, 512 << 10}));
  for (const auto& laps : all[1].samples_by_size) EXPECT_EQ(laps, (std::vector<int64_t>{1000, 1000}));
  // Two rounds of all delays were spun, by the clock and without sleeping.
  EXPECT_GE(time.now_ns, 2 * 233'500'000);
  if (series.params.count("no_meter") == 0) {
    EXPECT_EQ(param(series, "lines_per_look"), 32);
    const auto looks =
        harness::read_look_digits(std::get<std::string>(series.params.at("looks_21")));  // of either round
    ASSERT_TRUE(harness::available(looks));
    EXPECT_EQ(std::get<std::vector<int64_t>>(looks).size(), 2U);
    for (const int64_t count : std::get<std::vector<int64_t>>(looks)) EXPECT_LE(count, 32);
  }
}

TEST(Retention, own_allocations_disturb_no_sample) {
  const auto topology =
      harness::read_synthetic_topology("pack:1 l3:1(size=8388608) l2:2(size=1048576) core:1 pu:1");
  harness::FakeClock time;
  time.per_read_ns = 1000;
  const auto all = run_probe(topology, time);
  if (all.front().status == harness::Status::unavailable) GTEST_SKIP() << all.front().reason;
  // A page or two may be the system's doing; drawing 32 lines 44 times took one fault in two samples.
  for (const auto& series : all) EXPECT_LE(series.totals.minor_faults, 4) << series.probe;
}

TEST(Retention, is_unavailable_where_no_cache_is_reported) {
  harness::FakeClock time;
  time.per_read_ns = 1000;
  const auto series = run_probe(harness::Topology{}, time).front();
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("no cache is reported"), std::string::npos) << series.reason;
}

}  // namespace
}  // namespace probes
