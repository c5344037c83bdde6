#include <gtest/gtest.h>

#include "harness/clock.hpp"
#include "harness/pinning.hpp"
#include "probes/core_team.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

struct Bench {
  harness::Topology topology = harness::read_host_topology();
  harness::CpuFeatures features = harness::read_cpu_features();
  ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}};

  harness::Series run(int threads) {
    context.variant.threads = threads;
    return find_probe("barrier").run(context);
  }
};

TEST(Barrier, offers_the_threads_of_all_cores_and_one_as_the_control) {
  Bench bench;
  const auto cores = static_cast<int>(one_pu_per_core(bench.topology).size());
  const auto listed = find_probe("barrier").variants(bench.context);
  ASSERT_EQ(listed.size(), cores > 1 ? 2u : 1u);
  EXPECT_EQ(listed.front().threads, 1);
  EXPECT_EQ(listed.back().threads, cores);
}

TEST(Barrier, times_two_threads_over_vectors_of_whole_lines_of_each) {
  Bench bench;
  if (one_pu_per_core(bench.topology).size() < 2) GTEST_SKIP() << "one core may be used";
  const auto before = harness::affinity_pus();
  const harness::Series series = bench.run(2);
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.work_unit, "barriers");
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{128, 1024, 4096, 16384}));
  EXPECT_EQ(std::get<int64_t>(series.params.at("threads")), 2);
  EXPECT_TRUE(series.params.contains("yields"));
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    EXPECT_EQ(series.samples_by_size[i].size(), 2u);
    EXPECT_GT(series.work_per_sample[i], 0);
    for (const int64_t ns : series.samples_by_size[i]) EXPECT_GT(ns, 0);
  }
  EXPECT_EQ(harness::affinity_pus(), before) << "the caller may go where it could";
}

TEST(Barrier, one_thread_alone_is_timed_over_the_same_vectors) {
  Bench bench;
  const auto cores = static_cast<int>(one_pu_per_core(bench.topology).size());
  if (cores < 2) GTEST_SKIP() << "one core may be used";
  const harness::Series alone = bench.run(1), all = bench.run(cores);
  ASSERT_EQ(alone.status, harness::Status::ok) << alone.reason;
  EXPECT_EQ(alone.sizes_bytes, all.sizes_bytes);
  EXPECT_EQ(std::get<int64_t>(alone.params.at("threads")), 1);
}

TEST(Barrier, more_threads_than_there_are_and_a_single_core_are_unavailable) {
  Bench bench;
  if (one_pu_per_core(bench.topology).size() > 1) {
    const harness::Series most = bench.run(1024);
    EXPECT_EQ(most.status, harness::Status::unavailable);
    EXPECT_NE(most.reason.find("1024 threads need 1024 PUs"), std::string::npos) << most.reason;
  }
  bench.topology.pus.resize(1);
  EXPECT_EQ(bench.run(1).status, harness::Status::unavailable);
  EXPECT_EQ(bench.run(1).reason, "one core may be used: nobody to wait for");
}

}  // namespace
}  // namespace probes
