#include <gtest/gtest.h>

#include "harness/clock.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

harness::Series run_probe(const harness::CpuFeatures& features) {
  const harness::Topology topology;
  return find_probe("core_clock")
      .run(ProbeContext{topology, features, harness::steady_clock(), {}, 2, 3, 7, {}});
}

TEST(CoreClock, gives_samples_of_a_known_number_of_cycles) {
  const auto series = run_probe(harness::read_cpu_features());
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  EXPECT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.work_unit, "cycles");
  ASSERT_EQ(series.samples_by_size.size(), 1U);
  EXPECT_EQ(series.samples_by_size[0].size(), 3U);
  EXPECT_GT(series.work_per_sample[0], 0);
}

TEST(CoreClock, is_unavailable_on_cpus_whose_multiplication_it_does_not_know) {
  harness::CpuFeatures features;
  features.arch = "aarch64";
  EXPECT_EQ(run_probe(features).status, harness::Status::unavailable);
  features.arch = "x86_64";
  features.vendor = "AuthenticAMD";
  features.family = 0x15;  // Bulldozer: 4 cycles
  const auto series = run_probe(features);
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("AuthenticAMD"), std::string::npos);
}

}  // namespace
}  // namespace probes
