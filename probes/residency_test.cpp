#include "harness/residency.hpp"

#include <gtest/gtest.h>

#include <string>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

harness::Series run_probe() {
  const harness::Topology topology;
  const auto features = harness::read_cpu_features();
  return find_probe("residency")
      .run(ProbeContext{topology, features, harness::steady_clock(), {}, 2, 5, 7, {}});
}

int64_t param(const harness::Series& series, const std::string& name) {
  return std::get<int64_t>(series.params.at(name));
}

TEST(Residency, stores_single_loads_of_each_place_and_what_the_threshold_makes_of_them) {
  const auto series = run_probe();
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.work_unit, "timed_loads");
  // Without a known last-level cache: L2 and memory.
  EXPECT_EQ(std::get<std::string>(series.params.at("places")), "l2 flushed");
  ASSERT_EQ(series.samples_by_size.size(), 2U);
  EXPECT_EQ(series.samples_by_size[0].size(), 128U);
  EXPECT_EQ(series.samples_by_size[1].size(), 128U);
  const auto again = harness::calibrate_residency(series.samples_by_size[0], series.samples_by_size[1]);
  ASSERT_TRUE(harness::available(again));
  EXPECT_EQ(std::get<harness::ResidencyCalibration>(again).threshold_ticks, param(series, "threshold_ticks"));
  EXPECT_EQ(param(series, "warm_set_lines"), 128);
  EXPECT_EQ(param(series, "flushed_set_lines"), 128);
}

}  // namespace
}  // namespace probes
