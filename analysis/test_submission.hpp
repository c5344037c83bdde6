// A submission whose answers are known: constant rates per cache level, constant times per token. For tests
// only.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/derive.hpp"
#include "analysis/forecast.hpp"
#include "models/golden.hpp"

namespace analysis {

/// What the invented machine does. The defaults are a good run: nothing in it is flagged or implausible.
struct TestRun {
  int64_t l1_bytes = 48 << 10, l2_bytes = 1 << 20, l3_bytes = 32 << 20;  ///< 0: not there
  double l1_bytes_per_s = 200e9, l2_bytes_per_s = 100e9, l3_bytes_per_s = 40e9, dram_bytes_per_s = 10e9;
  double after_ratio = 1;  ///< rates after decode ÷ rates before
  double clock_hz = 4e9;
  /// ns per token of each arm, in the plan's order.
  std::vector<std::pair<std::string, int64_t>> arms{
      {"warm", 60'000}, {"aa", 60'000}, {"evict_flush", 120'000}, {"evict_read", 61'000}};
  /// One entry per launch: every time of that launch is multiplied by it.
  std::vector<double> launch_factors{1.000, 1.010, 0.990, 1.004, 0.996};
  /// Times of an arm in a launch are multiplied by this, too: what makes two arms differ by chance.
  std::function<double(const std::string& arm, size_t launch)> arm_factor;
};

inline constexpr int test_blocks = 30;  ///< 959 positions 65:1023 in blocks of 32, the last of 31
inline constexpr int64_t test_sample_ns = 2'000'000;

inline harness::Cache test_cache(int level, int64_t bytes) {
  harness::Cache cache;
  cache.level = level;
  cache.type = level == 1 ? "data" : "unified";
  cache.bytes = static_cast<uint64_t>(bytes);
  cache.line_bytes = 64;
  cache.instances = 1;
  cache.shared_by_pus = level == 3 ? 2 : 1;
  return cache;
}

inline double test_rate(const TestRun& run, int64_t size_bytes) {
  if (size_bytes <= run.l1_bytes) return run.l1_bytes_per_s;
  if (size_bytes <= run.l2_bytes) return run.l2_bytes_per_s;
  if (size_bytes <= run.l3_bytes) return run.l3_bytes_per_s;
  return run.dram_bytes_per_s;
}

/// Five samples at each size, all of them at exactly the rate.
inline harness::Series test_curve(const std::string& probe, const std::string& unit,
                                  std::vector<int64_t> sizes,
                                  const std::function<double(int64_t)>& units_per_s) {
  harness::Series series;
  series.probe = probe;
  series.work_unit = unit;
  series.sizes_bytes = std::move(sizes);
  for (int64_t size : series.sizes_bytes) {
    series.work_per_sample.push_back(
        static_cast<int64_t>(units_per_s(size) * static_cast<double>(test_sample_ns) / 1e9));
    series.samples_by_size.emplace_back(5, test_sample_ns);
  }
  return series;
}

inline std::vector<int64_t> test_sizes() {
  std::vector<int64_t> sizes;
  for (int64_t size = 4 << 10; size <= 128 << 20; size *= 2) {
    sizes.push_back(size);
    if (size < 128 << 20) sizes.push_back(size / 2 * 3);
  }
  return sizes;
}

inline harness::Series test_arm(const TestRun& run, const harness::Plan& plan, const std::string& arm,
                                int64_t token_ns, size_t launch) {
  harness::Series series;
  series.probe = "decode";
  series.model = plan.model;
  series.arm = arm;
  series.mode = arm == "aa" ? "warm" : arm;
  const bool alone = arm == "warm" || arm == "aa" || arm == "evict_flush" || arm == "evict_stream";
  series.placement = alone ? "none" : "same_llc";
  const double factor = run.launch_factors[launch] * (run.arm_factor ? run.arm_factor(arm, launch) : 1);
  for (int i = 0; i < 2 * test_blocks; ++i) {
    const int block = i % test_blocks;
    const int64_t tokens = block == test_blocks - 1 ? 31 : 32;
    // What the first pass takes longer the second takes less: totals stay exact, samples differ.
    const int64_t wobble = int64_t{block + 1} * (block % 2 == 0 ? 7 : -7) * (i < test_blocks ? 1 : -1);
    series.samples.push_back(std::llround(static_cast<double>(tokens * token_ns) * factor) + wobble);
  }
  return series;
}

inline harness::Launch test_probes(const TestRun& run, const std::string& purpose) {
  const double ratio = purpose == "probes" ? 1 : run.after_ratio;
  const auto sizes = purpose == "probes" ? test_sizes() : std::vector<int64_t>{1 << 20, 2 << 20, 16 << 20};
  const auto rate = [&](int64_t size) { return ratio * test_rate(run, size); };
  harness::Launch launch;
  launch.purpose = purpose;
  launch.wall_ns = 5'000'000'000;
  launch.series.push_back(test_curve("load_bandwidth", "bytes", sizes, rate));
  launch.series.back().params["isa"] = std::string("avx2");
  launch.series.push_back(
      test_curve("dram_stream", "bytes", {256 << 20}, [&](int64_t) { return ratio * run.dram_bytes_per_s; }));
  if (purpose != "probes") return launch;
  // A load from a level lasts 200 ns divided by its GB/s: 1, 2, 5 and 20 ns.
  launch.series.push_back(
      test_curve("load_latency", "loads", sizes, [&](int64_t size) { return rate(size) / 200; }));
  launch.series.push_back(test_curve("core_clock", "cycles", {0}, [&](int64_t) { return run.clock_hz; }));
  return launch;
}

inline harness::Plan test_plan(const TestRun& run) {
  harness::Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "avx2";
  plan.position_first = 65;
  plan.position_last = 1023;
  plan.samples_per_arm = 2 * test_blocks;
  plan.golden = models::expected_golden(models::find_shape(plan.model));
  plan.weight_bytes_per_token = 1'933'600;
  plan.launches = static_cast<int>(run.launch_factors.size());
  plan.kernel_version = "1";
  for (const auto& arm : run.arms) plan.arms.push_back(arm.first);
  return plan;
}

/// Makes the whole submission: probes, decode launches, roofs_after, forecasts of every mode, and its derived
/// part.
inline harness::Submission test_submission(const TestRun& run = {}) {
  harness::Submission made;
  made.machine.page_bytes = 4096;
  made.machine.core_kinds = {{"uniform", 2, 2}};
  if (run.l1_bytes) made.machine.caches.push_back(test_cache(1, run.l1_bytes));
  if (run.l2_bytes) made.machine.caches.push_back(test_cache(2, run.l2_bytes));
  if (run.l3_bytes) made.machine.caches.push_back(test_cache(3, run.l3_bytes));
  made.conditions.steal_ratio = 0.0;
  made.plans.push_back(test_plan(run));
  made.launches.push_back(test_probes(run, "probes"));
  for (size_t i = 0; i < run.launch_factors.size(); ++i) {
    harness::Launch launch;
    launch.purpose = "decode";
    launch.start_ns = 10'000'000'000;  // the forecasts were made before
    launch.wall_ns = 5'000'000'000;
    launch.plan = 0;
    launch.round = static_cast<int>(i);
    launch.golden_got = made.plans[0].golden;
    for (const auto& [arm, token_ns] : run.arms) {
      launch.series.push_back(test_arm(run, made.plans[0], arm, token_ns, i));
    }
    made.launches.push_back(launch);
  }
  made.launches.push_back(test_probes(run, "roofs_after"));
  const auto& shape = models::find_shape("coreflow_1_9m");
  for (const auto& [mode, placement] :
       {std::pair{"warm", "none"}, {"evict_flush", "none"}, {"evict_read", "same_llc"}}) {
    const auto key = decode_key(made.plans[0], made.machine, mode, placement);
    for (const auto& forecast : make_forecasts(made, shape, key)) made.forecasts.push_back(forecast);
  }
  made.derived = derive(made);
  return made;
}

}  // namespace analysis
