// Sanity on the real machine: which way figures must lie, never what they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/topology.hpp"
#include "probes/decode.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

constexpr int64_t small_bytes = 16 << 10, large_bytes = 64 << 20;

/// Returns ns per unit of work at a position, the best of its samples: others' load only makes samples
/// longer.
double best_ns_per_unit(const harness::Series& series, size_t position) {
  const auto& samples = series.samples_by_size[position];
  return static_cast<double>(*std::min_element(samples.begin(), samples.end())) /
         static_cast<double>(series.work_per_sample[position]);
}

template <class Run>
auto run_with_context(Run run) {
  const harness::Topology topology;
  const auto features = harness::read_cpu_features();
  return run(
      ProbeContext{topology, features, harness::steady_clock(), {small_bytes, large_bytes}, 2, 5, 1, {}});
}

harness::Series run_probe(const std::string& id) {
  return run_with_context(find_probe(id).run);
}

TEST(Hardware, a_load_from_a_large_set_takes_longer_than_one_from_a_small_set) {
  const auto series = run_probe("load_latency");
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_LT(2 * best_ns_per_unit(series, 0), best_ns_per_unit(series, 1));
}

TEST(Hardware, a_small_set_is_read_faster_than_memory) {
  const auto series = run_probe("load_bandwidth");
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_LT(best_ns_per_unit(series, 0), best_ns_per_unit(series, 1));
}

TEST(Hardware, a_lap_over_a_flushed_set_takes_longer_than_over_a_warm_one) {
  const auto all = run_with_context(find_probe("eviction").run_all);
  if (all.front().status == harness::Status::unavailable) GTEST_SKIP() << all.front().reason;
  ASSERT_EQ(all.front().status, harness::Status::ok) << all.front().reason;
  ASSERT_GE(all.size(), 2u);
  const harness::Series& references = all[1];
  ASSERT_EQ(references.probe, "eviction_references");
  // Warm laps beside each size, then as many flushed ones.
  const auto& laps = references.samples_by_size;
  ASSERT_EQ(laps.size(), 2 * all.front().sizes_bytes.size());
  const auto best = [&laps](size_t i) { return *std::min_element(laps[i].begin(), laps[i].end()); };
  for (size_t i = 0; i < laps.size() / 2; ++i) EXPECT_LT(best(i), best(i + laps.size() / 2));
}

TEST(Hardware, tokens_take_longer_after_a_stream_that_evicts) {
  const auto topology = harness::read_host_topology();
  harness::Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "scalar";
  plan.position_last = 127;
  plan.arms = {"warm", "evict_stream"};
  plan.evict_stream_bytes = 1 << 30;  // in two passes where the cache is small
  if (memory_budget_bytes() < plan.evict_stream_bytes) GTEST_SKIP() << "too little memory";
  time_single_positions(plan, 8);
  const auto launch = run_decode_launch(plan, {topology, harness::steady_clock(), 0, 5, {}, nullptr});
  std::vector<int64_t> best_ns;
  for (const auto& series : launch.series) {
    if (series.reason.rfind("not_evicted", 0) == 0) GTEST_SKIP() << series.reason;
    ASSERT_EQ(series.status, harness::Status::ok) << series.arm << ": " << series.reason;
    best_ns.push_back(*std::min_element(series.samples.begin(), series.samples.end()));
  }
  EXPECT_LT(best_ns[0], best_ns[1]);
}

TEST(Hardware, a_flush_is_verified_and_a_stream_of_one_mebibyte_is_found_not_to_evict) {
  const auto topology = harness::read_host_topology();
  const harness::Cache* llc = harness::last_level_cache(topology);
  if (llc == nullptr || llc->bytes < (uint64_t{8} << 20)) GTEST_SKIP() << "no cache that holds both";
  harness::Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "scalar";
  plan.position_last = 127;
  plan.arms = {"evict_flush", "evict_stream"};
  plan.evict_stream_bytes = 1 << 20;
  time_single_positions(plan, 8);
  const auto launch = run_decode_launch(plan, {topology, harness::steady_clock(), 0, 5, {}, nullptr});
  if (launch.series[0].status == harness::Status::unavailable) GTEST_SKIP() << launch.series[0].reason;
  EXPECT_EQ(launch.series[0].status, harness::Status::ok) << launch.series[0].reason;
  EXPECT_EQ(launch.series[1].status, harness::Status::failed);
  EXPECT_EQ(launch.series[1].reason.rfind("not_evicted: ", 0), 0U) << launch.series[1].reason;
}

TEST(Hardware, no_core_loads_more_than_four_vectors_per_cycle) {
  const auto bandwidth = run_probe("load_bandwidth");
  const auto clock = run_probe("core_clock");
  if (clock.status != harness::Status::ok || bandwidth.status != harness::Status::ok)
    GTEST_SKIP() << clock.reason;
  const double bytes_per_ns = 1 / best_ns_per_unit(bandwidth, 0);
  const double cycles_per_ns = 1 / best_ns_per_unit(clock, 0);
  // A loop that the compiler had emptied would exceed any such limit.
  EXPECT_LT(bytes_per_ns,
            4 * static_cast<double>(std::get<int64_t>(bandwidth.params.at("vector_bytes"))) * cycles_per_ns);
}

}  // namespace
}  // namespace probes
