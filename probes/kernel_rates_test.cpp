#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "models/kernels/select.hpp"
#include "probes/probe.hpp"
#include "probes/stream_eviction.hpp"

namespace probes {
namespace {

harness::Cache cache(int level, uint64_t bytes) {
  harness::Cache made;
  made.level = level;
  made.type = "unified";
  made.bytes = bytes;
  return made;
}

struct Bench {
  harness::Topology topology;
  harness::CpuFeatures features = harness::read_cpu_features();
  ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 2, 7, {}};

  /// Short, since no test looks at how cold it leaves things.
  SharedStream stream{
      {std::make_shared<const StreamEviction>(std::vector<int64_t>{4 << 20}, 4 << 20, features, 7), 4 << 20}};

  Bench() {
    context.shared_stream = &stream;
    topology.caches = {cache(1, 48 << 10), cache(2, 1 << 20), cache(3, 4 << 20)};
    context.models = {"coreflow_1_9m"};
    context.isas = {"scalar"};
  }
  harness::Series run(const std::string& kernel, int cols = 0, int heads = 0) {
    context.variant.isa = context.isas.front();
    context.variant.kernel = kernel;
    context.variant.cols = cols;
    context.variant.heads = heads;
    return find_probe("kernel_rates").run(context);
  }
};

std::string levels(const harness::Series& series) {
  return std::get<std::string>(series.params.at("levels"));
}

TEST(KernelRates, lists_each_kernel_and_row_width_of_the_models_once_for_each_isa) {
  Bench bench;
  bench.context.models = {"coreflow_1_9m", "coreflow_12_6m", "coreflow_1_9m"};
  bench.context.isas = {"scalar", "avx2"};
  std::set<std::string> seen;
  for (const Variant& variant : find_probe("kernel_rates").variants(bench.context)) {
    const std::string name = variant.isa + " " + variant.kernel + " " + std::to_string(variant.cols) + " " +
                             std::to_string(variant.heads);
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
  for (const char* name : {"scalar int8 144 0", "scalar int8 396 0", "avx2 int8 384 0", "avx2 int8 512 0",
                           "scalar attention 18 8", "avx2 attention 64 3", "avx2 rms_norm 0 0"})
    EXPECT_EQ(seen.count(name), 1u) << name;
}

TEST(KernelRates, measures_a_kernel_in_every_level_and_a_short_call) {
  Bench bench;
  const harness::Series series = bench.run("int8", 144);
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(levels(series), "l2_short l2 l3 dram_short dram dram_far streamed_run");
  ASSERT_EQ(series.sizes_bytes.size(), 7u);
  EXPECT_EQ(std::get<int64_t>(series.params.at("call_bytes")), 256 * 144);
  EXPECT_EQ(std::get<int64_t>(series.params.at("short_call_bytes")), 64 * 144);
  EXPECT_EQ(std::get<int64_t>(series.params.at("far_call_bytes")), 1024 * 144);
  for (size_t i = 1; i < 4; ++i) EXPECT_GT(series.sizes_bytes[i], series.sizes_bytes[i - 1]);
  EXPECT_EQ(std::set<int64_t>(series.sizes_bytes.begin(), series.sizes_bytes.end() - 1).size(), 6u);
  EXPECT_LE(series.sizes_bytes[1], 1 << 20);
  EXPECT_LE(series.sizes_bytes[2], 4 << 20);
  for (const auto& samples : series.samples_by_size) EXPECT_EQ(samples.size(), 2u);
  EXPECT_EQ(series.work_per_sample[1] % (256 * 144), 0);
}

TEST(KernelRates, takes_no_l3_where_none_is_reported_and_nothing_without_an_l2) {
  Bench bench;
  bench.topology.caches.pop_back();
  EXPECT_EQ(levels(bench.run("ternary", 80)), "l2_short l2 dram_short dram dram_far streamed_run");
  bench.topology.caches.pop_back();
  const harness::Series none = bench.run("ternary", 80);
  EXPECT_EQ(none.status, harness::Status::unavailable);
  EXPECT_NE(none.reason.find("second-level"), std::string::npos) << none.reason;
}

TEST(KernelRates, attention_is_measured_from_memory_in_whole_calls_and_apart_after_a_stream) {
  Bench bench;
  EXPECT_EQ(levels(bench.run("attention", 18, 8)), "l2_short l2 l3 dram streamed_short streamed");
}

TEST(KernelRates, matrices_that_begin_a_run_of_weights_are_measured_apart) {
  Bench bench;
  bench.context.models = {"moe_ternary_8m"};
  const harness::Series series = bench.run("ternary", 256);
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(levels(series),
            "l2_short l2 l3 dram_short dram dram_far streamed_run streamed_short streamed "
            "streamed_far apart_short apart apart_far");
  EXPECT_LE(levels(series).size(), 128u);  // what the schema allows
  ASSERT_EQ(series.samples_by_size.size(), 13u);
  EXPECT_EQ(series.work_per_sample.size(), 13u);
  for (const auto& samples : series.samples_by_size) EXPECT_EQ(samples.size(), 2u);
  EXPECT_EQ(series.work_per_sample.back(), 4 * std::get<int64_t>(series.params.at("far_call_bytes")));
  // Beside a run of weights that others read.
  EXPECT_EQ(levels(bench.run("ternary", 80)), "l2_short l2 l3 dram_short dram dram_far streamed_run");
}

TEST(KernelRates, where_nobody_streams_matrices_apart_are_flushed_alone) {
  Bench bench;
  bench.context.models = {"moe_ternary_8m"};
  bench.context.shared_stream = nullptr;
  EXPECT_EQ(levels(bench.run("ternary", 256)),
            "l2_short l2 l3 dram_short dram dram_far apart_short apart apart_far");
  EXPECT_EQ(bench.run("first_calls").status, harness::Status::unavailable);
}

TEST(KernelRates, a_budget_leaves_streams_out) {
  Bench bench;
  bench.context.end_ns = bench.context.clock.now_ns() + 60'000'000'000;
  EXPECT_EQ(levels(bench.run("int8", 144)), "l2_short l2 l3 dram_short dram dram_far");
}

TEST(KernelRates, a_stream_that_gives_something_else_fails_the_series) {
  Bench bench;
  const auto& memory = bench.stream.stream.eviction->memory();
  memory.data()[100] ^= std::byte{1};
  EXPECT_EQ(bench.run("int8", 144).status, harness::Status::failed);
}

TEST(KernelRates, steps_over_vectors_are_measured_in_the_nearest_cache) {
  Bench bench;
  for (const char* step :
       {"rms_norm", "quantise", "silu_product", "conv_step", "softcap", "rotate", "route", "add"}) {
    const harness::Series series = bench.run(step);
    EXPECT_EQ(series.status, harness::Status::ok) << step << ": " << series.reason;
    EXPECT_EQ(levels(series), "l1_short l1");
  }
}

TEST(KernelRates, experts_are_drawn_from_a_pool_as_large_as_the_models) {
  Bench bench;
  bench.context.models = {"moe_ternary_8m"};
  std::string model;
  for (const Variant& variant : find_probe("kernel_rates").variants(bench.context)) model += variant.model;
  EXPECT_EQ(model, "moe_ternary_8m");
  bench.context.variant.model = model;
  const harness::Series series = bench.run("experts");
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(levels(series), "near pool pool_slow dram streamed");
  EXPECT_EQ(std::get<int64_t>(series.params.at("call_bytes")), 3 * 80 * 256 / 4);
  EXPECT_EQ(std::get<int64_t>(series.params.at("experts")), 16);
  for (const char* length : {"pool_token_ns", "pool_slow_token_ns"})
    EXPECT_GT(std::get<int64_t>(series.params.at(length)), 0) << length;
  ASSERT_EQ(series.samples_by_size.size(), 5u);
  for (const auto& samples : series.samples_by_size) EXPECT_EQ(samples.size(), 2u);
  for (const int64_t work : series.work_per_sample) EXPECT_EQ(work % (2 * 6 * 15360), 0);
}

TEST(KernelRates, first_calls_are_taken_of_each_kernel_once_after_a_stream_and_again) {
  Bench bench;
  const harness::Series series = bench.run("first_calls");
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_NE(levels(series).find("int8"), std::string::npos) << levels(series);
  EXPECT_EQ(levels(series).find("int8"), levels(series).rfind("int8"));
  bench.context.models.clear();
  EXPECT_LE(levels(bench.run("first_calls")).size(), 128u);  // what the schema allows
  EXPECT_EQ(series.samples_by_size.size(), series.work_per_sample.size());
  for (const auto& samples : series.samples_by_size) EXPECT_EQ(samples.size(), 2u);
}

TEST(KernelRates, an_isa_that_the_cpu_lacks_is_unavailable_by_name) {
  Bench bench;
  bench.features = {};
  bench.context.isas = {"avx2"};
  const harness::Series series = bench.run("int8", 144);
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("lacks"), std::string::npos) << series.reason;
}

}  // namespace
}  // namespace probes
