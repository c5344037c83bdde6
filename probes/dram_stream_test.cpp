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

}  // namespace
}  // namespace probes
