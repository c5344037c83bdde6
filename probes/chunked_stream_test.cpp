#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/clock.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

const harness::Topology& small_machine() {
  static const harness::Topology topology = [] {
    harness::Topology made;
    harness::Cache l2, l3;
    l2.level = 2;
    l3.level = 3;
    l2.type = l3.type = "unified";
    l2.bytes = 256 << 10;
    l3.bytes = 1 << 20;
    made.caches = {l2, l3};
    return made;
  }();
  return topology;
}

ProbeContext context_of(const std::vector<int64_t>& sizes, const Variant& variant) {
  static const auto features = harness::read_cpu_features();
  ProbeContext context{small_machine(), features, harness::steady_clock(), sizes, 2, 2, 7, {}};
  context.variant = variant;
  return context;
}

harness::Series run_probe(const std::vector<int64_t>& sizes, const Variant& variant = {}) {
  return find_probe("chunked_stream").run(context_of(sizes, variant));
}

TEST(ChunkedStream, reads_whole_laps_of_the_chunks_that_fit_into_the_pool) {
  const auto series = run_probe({});
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(std::get<std::string>(series.params.at("read_loops")).size(), series.sizes_bytes.size());
  EXPECT_EQ(std::get<int64_t>(series.params.at("pool_bytes")), 4 << 20);
  EXPECT_TRUE(std::count(series.sizes_bytes.begin(), series.sizes_bytes.end(), 49152));
  EXPECT_EQ(series.sizes_bytes.back(), 262144);
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const int64_t lap = (int64_t{4} << 20) / series.sizes_bytes[i] * series.sizes_bytes[i];
    EXPECT_EQ(series.work_per_sample[i] % lap, 0) << series.sizes_bytes[i];
    EXPECT_EQ(series.samples_by_size[i].size(), 2U);
  }
}

TEST(ChunkedStream, chunks_too_long_for_a_pool_are_left_out_or_said) {
  Variant variant;
  variant.pool_bytes = 256 << 10;
  EXPECT_EQ(run_probe({}, variant).sizes_bytes.back(), 65536);
  const auto series = run_probe({131072}, variant);
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("fewer than 4 chunks"), std::string::npos) << series.reason;
}

TEST(ChunkedStream, lists_pools_from_beyond_every_cache_down_to_the_second_level) {
  const auto listed = find_probe("chunked_stream").variants(context_of({}, {}));
  ASSERT_EQ(listed.size(), 4U);
  EXPECT_EQ(listed.front().pool_bytes, 4 << 20);
  EXPECT_EQ(listed.back().pool_bytes, 256 << 10);
}

TEST(ChunkedStream, a_pool_beyond_the_memory_budget_is_unavailable) {
  Variant variant;
  variant.pool_bytes = int64_t{1} << 50;
  EXPECT_EQ(run_probe({}, variant).status, harness::Status::unavailable);
}

}  // namespace
}  // namespace probes
