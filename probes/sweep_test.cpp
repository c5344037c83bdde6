#include "probes/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/error.hpp"
#include "harness/fake_clock.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

constexpr int64_t mib = 1 << 20;

/// Owns a scripted machine on which a pass over a set takes as many ns as it has KiB.
struct Bench {
  harness::FakeClock time;
  harness::Topology topology;
  harness::CpuFeatures features;
  ProbeContext context{topology, features, {}, {}, 2, 3, 1, {}};
  std::vector<int64_t> begun;
  int64_t refreshed = 0;
  SweepBody body;

  Bench() {
    context.clock = time.clock();
    body.work_unit = "bytes";
    body.min_sample_ns = 1000;
    body.begin = [this](int64_t size) { begun.push_back(size); };
    body.refresh = [this](int64_t) {
      ++refreshed;
      time.now_ns += 777;  // must not be counted
    };
    body.work = [this](int64_t size, int64_t repeats) { time.now_ns += repeats * size / 1024; };
    body.units_per_repeat = [](int64_t size) { return size; };
    body.verify = [](int64_t) { return true; };
  }
};

TEST(Sweep, stores_the_time_of_the_work_alone_with_its_amount_in_ascending_sizes) {
  Bench bench;
  harness::Series series;
  sweep(bench.context, {4096, 65536, 4 * mib}, bench.body, series);
  EXPECT_EQ(series.status, harness::Status::ok);
  EXPECT_EQ(series.work_unit, "bytes");
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{4096, 65536, 4 * mib}));
  ASSERT_EQ(series.samples_by_size.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(series.samples_by_size[i].size(), 3U);
    for (const int64_t ns : series.samples_by_size[i]) {
      EXPECT_EQ(ns, series.work_per_sample[i] / 1024);
      EXPECT_GE(ns, 1000);
    }
  }
}

TEST(Sweep, refreshes_the_set_before_each_sample) {
  Bench bench;
  harness::Series series;
  sweep(bench.context, {4096, 8192}, bench.body, series);
  EXPECT_EQ(bench.refreshed, 2 * (1 + 3));
}

TEST(Sweep, takes_the_sizes_in_the_order_of_the_seed) {
  Bench bench;
  bench.context.seed = 3;
  std::vector<int64_t> sizes;
  for (int64_t i = 1; i <= 16; ++i) sizes.push_back(i * 4096);
  harness::Series series;
  sweep(bench.context, sizes, bench.body, series);
  EXPECT_NE(bench.begun, sizes);
  EXPECT_EQ(std::get<int64_t>(series.params.at("order_seed")), 3);
  std::sort(bench.begun.begin(), bench.begun.end());
  EXPECT_EQ(bench.begun, sizes);
}

TEST(Sweep, a_wrong_result_makes_the_series_failed) {
  Bench bench;
  bench.body.verify = [](int64_t) { return false; };
  harness::Series series;
  sweep(bench.context, {4096}, bench.body, series);
  EXPECT_EQ(series.status, harness::Status::failed);
  EXPECT_NE(series.reason.find("4096 bytes"), std::string::npos);
}

TEST(Sweep, progress_rises_to_one) {
  Bench bench;
  std::vector<double> seen;
  bench.context.progress = [&](double fraction) { seen.push_back(fraction); };
  harness::Series series;
  sweep(bench.context, {4096, 8192, 64 * mib}, bench.body, series);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_DOUBLE_EQ(seen.back(), 1.0);
}

TEST(Sweep, gives_up_a_size_that_the_machine_makes_last_beyond_the_budget) {
  Bench bench;
  bench.context.samples = 20;
  bench.context.end_ns = 2'000'000;
  bench.context.budget_ns = 2'000'000;
  bench.body.refresh = [&](int64_t) {  // somebody takes the machine once the first size is done
    bench.time.now_ns += bench.begun.size() > 1 ? 200'000 : 777;
  };
  harness::Series series;
  sweep(bench.context, {4096, 8192, 16'384}, bench.body, series);
  EXPECT_EQ(series.status, harness::Status::ok);
  EXPECT_EQ(series.sizes_bytes.size(), 1U);
  EXPECT_EQ(skipped_sizes(series), 2);
  EXPECT_EQ(bench.begun.size(), 2U) << "one was begun and given up, one never begun";
  EXPECT_LT(bench.time.now_ns, 2'000'000 + 250'000) << "no more than a sample beyond the end";
}

TEST(Sweep, that_ends_no_size_in_time_is_skipped) {
  Bench bench;
  bench.context.end_ns = 1;
  bench.context.budget_ns = 1;
  harness::Series series;
  series.probe = "load_latency";
  sweep(bench.context, {4096, 8192}, bench.body, series);
  EXPECT_TRUE(is_skipped(series)) << series.reason;
  EXPECT_TRUE(series.samples_by_size.empty());
}

TEST(SweepSizes, are_the_callers_sorted_and_single) {
  Bench bench;
  bench.context.sizes_bytes = {8192, 512, 8192};
  EXPECT_EQ(std::get<std::vector<int64_t>>(sweep_sizes(bench.context, mib)),
            (std::vector<int64_t>{512, 8192}));
}

TEST(SweepSizes, follow_the_last_level_cache_up_to_the_budget) {
  Bench bench;
  harness::Cache cache;
  cache.level = 3;
  cache.type = "unified";
  cache.bytes = 32 * mib;
  bench.topology.caches = {cache};
  EXPECT_EQ(std::get<std::vector<int64_t>>(sweep_sizes(bench.context, 1024 * mib)).back(), 128 * mib);
  EXPECT_EQ(std::get<std::vector<int64_t>>(sweep_sizes(bench.context, 20 * mib)).back(), 16 * mib);
}

TEST(SweepSizes, are_unavailable_when_the_memory_is_not_there) {
  Bench bench;
  EXPECT_FALSE(harness::available(sweep_sizes(bench.context, 0)));
  bench.context.sizes_bytes = {2 * mib};
  EXPECT_TRUE(harness::available(sweep_sizes(bench.context, 2 * mib)));
  EXPECT_FALSE(harness::available(sweep_sizes(bench.context, 2 * mib - 1)));
}

TEST(SweepSizes, that_no_stream_can_read_are_usage_errors) {
  Bench bench;
  for (const int64_t size : {int64_t{0}, int64_t{-512}, int64_t{100}, int64_t{4097}}) {
    bench.context.sizes_bytes = {4096, size};
    try {
      sweep_sizes(bench.context, mib);
      FAIL() << size << " was taken";
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(std::to_string(size)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace probes
