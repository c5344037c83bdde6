#include <gtest/gtest.h>

#include <string>

#include "harness/clock.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

harness::Series run_probe(int64_t llc_bytes) {
  harness::Topology topology;
  harness::Cache cache;
  cache.level = 3;
  cache.type = "unified";
  cache.bytes = static_cast<uint64_t>(llc_bytes);
  topology.caches = {cache};
  const auto features = harness::read_cpu_features();
  return find_probe("dram_stream")
      .run(ProbeContext{topology, features, harness::steady_clock(), {}, 2, 1, 7, {}});
}

TEST(DramStream, is_unavailable_when_no_allowed_buffer_exceeds_the_cache_enough) {
  const auto series = run_probe(int64_t{1} << 40);
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("last-level cache"), std::string::npos) << series.reason;
}

TEST(DramStream, reads_one_size_beyond_every_cache) {
  const auto series = run_probe(int64_t{1} << 20);
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  EXPECT_EQ(series.status, harness::Status::ok) << series.reason;
  ASSERT_EQ(series.sizes_bytes.size(), 1U);
  EXPECT_GE(series.sizes_bytes[0], int64_t{2} << 20);
  EXPECT_LE(series.sizes_bytes[0], int64_t{256} << 20);
  EXPECT_EQ(std::get<int64_t>(series.params.at("wanted_bytes")), int64_t{256} << 20);
  EXPECT_EQ(series.samples_by_size[0].size(), 1U);
}

TEST(DramStream, more_threads_than_cores_are_unavailable) {
  const auto topology = harness::read_host_topology();
  const auto features = harness::read_cpu_features();
  ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 1, 7, {}};
  context.variant.threads = 100'000;
  const auto series = find_probe("dram_stream").run(context);
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("a core each"), std::string::npos) << series.reason;
}

TEST(DramStream, all_cores_share_the_memory_and_each_result_is_verified) {
  const auto topology = harness::read_host_topology();
  const auto features = harness::read_cpu_features();
  ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}};
  for (const Variant& variant : find_probe("dram_stream").variants(context)) {
    if (variant.threads == 1 || (variant.operation != "read" && variant.operation != "triad")) continue;
    context.variant = variant;
    const auto series = find_probe("dram_stream").run(context);
    if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
    ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
    EXPECT_EQ(std::get<int64_t>(series.params.at("threads")), variant.threads);
    EXPECT_GE(std::get<int64_t>(series.params.at("start_skew_ns")), 0);
    ASSERT_EQ(series.samples_by_size.size(), 1U);
    EXPECT_EQ(series.samples_by_size[0].size(), 2U);
    EXPECT_GT(series.work_per_sample[0], series.sizes_bytes[0]);
  }
}

}  // namespace
}  // namespace probes
