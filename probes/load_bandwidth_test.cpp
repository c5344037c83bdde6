#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/streams/streams.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

harness::Series run_probe(const std::vector<int64_t>& sizes, const harness::CpuFeatures& features) {
  const harness::Topology topology;
  return find_probe("load_bandwidth")
      .run(ProbeContext{topology, features, harness::steady_clock(), sizes, 2, 2, 7, {}});
}

TEST(LoadBandwidth, gives_positive_samples_of_whole_passes_at_each_size_asked_for) {
  const auto features = harness::read_cpu_features();
  const auto series = run_probe({2560, 16384}, features);
  EXPECT_EQ(series.probe, "load_bandwidth");
  EXPECT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.work_unit, "bytes");
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{2560, 16384}));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_GT(series.work_per_sample[i], 0);
    EXPECT_EQ(series.work_per_sample[i] % series.sizes_bytes[i], 0);
    ASSERT_EQ(series.samples_by_size[i].size(), 2U);
    for (const int64_t ns : series.samples_by_size[i]) EXPECT_GT(ns, 0);
  }
}

TEST(LoadBandwidth, uses_the_stream_that_the_features_allow_and_says_so) {
  harness::CpuFeatures none;
  EXPECT_EQ(std::get<std::string>(run_probe({4096}, none).params.at("isa")), "scalar");
  const auto features = harness::read_cpu_features();
  EXPECT_EQ(std::get<std::string>(run_probe({4096}, features).params.at("isa")),
            harness::select_streams(features).isa);
}

TEST(LoadBandwidth, is_unavailable_beyond_the_memory_budget) {
  const auto series = run_probe({2 * max_buffer_bytes}, harness::read_cpu_features());
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("exceeds"), std::string::npos) << series.reason;
}

}  // namespace
}  // namespace probes
