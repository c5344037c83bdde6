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
  return find_probe("load_latency")
      .run(ProbeContext{topology, features, harness::steady_clock(), sizes, 2, 2, 7, {}});
}

TEST(LoadLatency, gives_positive_samples_of_known_work_at_each_size_asked_for) {
  const auto series = run_probe({512, 16384}, harness::read_cpu_features());
  EXPECT_EQ(series.probe, "load_latency");
  EXPECT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.work_unit, "loads");
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{512, 16384}));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_GT(series.work_per_sample[i], 0);
    ASSERT_EQ(series.samples_by_size[i].size(), 2U);
    for (const int64_t ns : series.samples_by_size[i]) EXPECT_GT(ns, 0);
  }
}

TEST(LoadLatency, says_which_sizes_were_chased_completely) {
  const auto series = run_probe({4096}, harness::read_cpu_features());
  EXPECT_EQ(std::get<int64_t>(series.params.at("lapped_up_to_bytes")), 4096);
  EXPECT_EQ(std::get<std::string>(series.params.at("pages")), "huge");
}

TEST(LoadLatency, is_unavailable_beyond_the_memory_budget) {
  const auto series = run_probe({2 * max_buffer_bytes}, harness::read_cpu_features());
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("exceeds"), std::string::npos) << series.reason;
  EXPECT_TRUE(series.samples_by_size.empty());
}

}  // namespace
}  // namespace probes
