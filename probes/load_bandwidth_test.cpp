#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/streams/streams.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"

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

TEST(LoadBandwidth, says_which_read_loop_was_taken_at_each_size) {
  const auto series = run_probe({2560, 16384, 65536}, harness::read_cpu_features());
  const auto& loops = std::get<std::string>(series.params.at("read_loops"));
  EXPECT_EQ(loops.size(), 3U);
  EXPECT_EQ(loops.find_first_not_of("ra"), std::string::npos) << loops;
  EXPECT_EQ(std::get<std::string>(run_probe({4096, 8192}, {}).params.at("read_loops")), "rr")
      << "the plain stream has one loop";
}

TEST(LoadBandwidth, writes_the_loops_of_many_sizes_in_several_params) {
  harness::Series series;
  for (int64_t i = 1; i <= 130; ++i) series.sizes_bytes.push_back(512 * i);
  record_read_loops(series, {512, 512 * 130});
  EXPECT_EQ(std::get<std::string>(series.params.at("read_loops")), "a" + std::string(127, 'r'));
  EXPECT_EQ(std::get<std::string>(series.params.at("read_loops_2")), "ra");
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

harness::Series run_operation(const std::string& operation, const std::vector<int64_t>& sizes,
                              const harness::CpuFeatures& features) {
  const harness::Topology topology;
  ProbeContext context{topology, features, harness::steady_clock(), sizes, 2, 2, 7, {}};
  context.variant.operation = operation;
  return find_probe("load_bandwidth").run(context);
}

TEST(LoadBandwidth, counts_what_each_operation_moves_and_says_what_write_allocate_adds) {
  struct Expected {
    const char* operation;
    int64_t pass_bytes;
    double traffic_ratio;
  };
  for (const Expected& expected : {Expected{"store", 16384, 2}, Expected{"copy", 16384, 1.5},
                                   Expected{"triad", 3 * 5120, 4.0 / 3}, Expected{"read", 16384, 1}}) {
    const auto series = run_operation(expected.operation, {16384}, harness::read_cpu_features());
    ASSERT_EQ(series.status, harness::Status::ok) << expected.operation << ": " << series.reason;
    EXPECT_EQ(std::get<std::string>(series.params.at("operation")), expected.operation);
    EXPECT_EQ(series.work_per_sample[0] % expected.pass_bytes, 0) << expected.operation;
    EXPECT_DOUBLE_EQ(std::get<double>(series.params.at("traffic_ratio")), expected.traffic_ratio);
  }
}

TEST(LoadBandwidth, an_operation_that_the_stream_lacks_is_unavailable_and_a_set_too_small_are_unavailable) {
  const auto series = run_operation("store_nt", {16384}, {});
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("scalar"), std::string::npos) << series.reason;
  EXPECT_NE(run_operation("triad", {1024}, harness::read_cpu_features()).reason.find("too small"),
            std::string::npos);
}

TEST(LoadBandwidth, lists_reads_on_both_page_sizes_and_the_streams_that_store) {
  const harness::Topology topology;
  const harness::CpuFeatures features;
  const auto listed =
      find_probe("load_bandwidth")
          .variants(ProbeContext{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}});
  ASSERT_EQ(listed.size(), 5U);
  EXPECT_EQ(listed[0], Variant{});
  EXPECT_EQ(listed[1].pages, "small");
  EXPECT_EQ(listed[4].operation, "triad");
}

TEST(LoadBandwidth, of_several_threads_needs_a_core_each_and_a_cache_that_they_share) {
  const auto of = [](const char* description, int threads) {
    const auto topology = harness::read_synthetic_topology(description);
    const harness::CpuFeatures features;
    ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}};
    context.variant.threads = threads;
    return find_probe("load_bandwidth").run(context);
  };
  const auto few = of("l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=48KiB) core:1 pu:1", 3);
  EXPECT_EQ(few.status, harness::Status::unavailable);
  EXPECT_NE(few.reason.find("2 may be used"), std::string::npos) << few.reason;
  const auto own = of("l3:1(size=4MiB) l2:2(size=1MiB) l1d:1(size=48KiB) core:1 pu:1", 2);
  EXPECT_EQ(own.status, harness::Status::unavailable);
  EXPECT_NE(own.reason.find("second-level"), std::string::npos) << own.reason;
}

TEST(LoadBandwidth, lists_a_team_where_there_are_cores_for_one) {
  const auto topology = harness::read_synthetic_topology("l3:1(size=32MiB) core:2 pu:1");
  const harness::CpuFeatures features;
  const auto listed =
      find_probe("load_bandwidth")
          .variants(ProbeContext{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}});
  ASSERT_EQ(listed.size(), 6U);
  EXPECT_EQ(listed.back().threads, 2);
}

}  // namespace
}  // namespace probes
