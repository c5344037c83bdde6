#include "harness/cli/synthetic_document.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/derive.hpp"
#include "analysis/forecast.hpp"
#include "harness/digest.hpp"
#include "harness/environment.hpp"
#include "harness/statistics.hpp"
#include "models/golden.hpp"
#include "models/shape.hpp"

namespace cli {
namespace {

using harness::Launch;
using harness::Series;

constexpr const char* model_name = "coreflow_1_9m";
constexpr int64_t dram_bytes = int64_t{256} << 20;

/// How fast the machine that does not exist is, and how it wavers.
struct Invention {
  explicit Invention(uint64_t seed) : random(seed) {
    pace = 0.7 + 0.6 * static_cast<double>(random.below(1000)) / 1000;
  }
  int64_t wavering(double ns) {
    return std::max<int64_t>(1,
                             std::llround(ns * (1 + 0.02 * static_cast<double>(random.below(1000)) / 1000)));
  }
  harness::SplitMix64 random;
  double pace;
};

/// Bytes per ns and load latency by the level that holds a set.
double bytes_per_ns(int64_t size) {
  return size <= 32 << 10 ? 300 : size <= 768 << 10 ? 140 : size <= 24 << 20 ? 90 : 30;
}
double latency_ns(int64_t size) {
  return size <= 32 << 10 ? 1.1 : size <= 768 << 10 ? 3.5 : size <= 24 << 20 ? 12 : 110;
}

std::vector<int64_t> sizes(bool small) {
  std::vector<int64_t> all;
  for (int64_t size = 16 << 10; size <= 128 << 20; size *= small ? 4 : 2) {
    all.push_back(size);
    if (!small) all.push_back(size * 3 / 2);
  }
  return all;
}

Series curve(Invention& invention, const std::string& probe, const std::vector<int64_t>& at) {
  Series series;
  series.probe = probe;
  series.params = {{"order_seed", int64_t{1}}, {"pages", std::string("huge")}};
  const bool chase = probe == "load_latency", clock = probe == "core_clock";
  series.work_unit = chase ? "loads" : clock ? "cycles" : "bytes";
  if (!chase && !clock) {
    series.params["isa"] = std::string("avx2");
    series.params["vector_bytes"] = int64_t{32};
  }
  for (const int64_t size : at) {
    const double ns = 2e6;
    const double rate = clock ? 4.2 : chase ? 1 / latency_ns(size) : bytes_per_ns(size);
    series.sizes_bytes.push_back(size);
    series.work_per_sample.push_back(std::llround(ns * rate * invention.pace));
    auto& samples = series.samples_by_size.emplace_back();
    for (int i = 0; i < 5; ++i) samples.push_back(invention.wavering(ns));
    series.totals.wall_ns += 5 * invention.wavering(ns * 1.1);
  }
  series.totals.cpu_ns = series.totals.wall_ns - 1000;
  return series;
}

Launch probes(Invention& invention, const std::string& purpose, int64_t start_ns,
              const std::vector<int64_t>& at) {
  Launch launch;
  launch.purpose = purpose;
  launch.start_ns = start_ns;
  launch.wall_ns = 4'000'000'000;
  launch.counters = {{"bytes_streamed", int64_t{0}},
                     {"hardware_events", harness::Unavailable{"no PMU driver"}}};
  launch.series.push_back(curve(invention, "core_clock", {4}));
  launch.series.push_back(curve(invention, "load_bandwidth", at));
  if (purpose == "probes") launch.series.push_back(curve(invention, "load_latency", at));
  launch.series.push_back(curve(invention, "dram_stream", {dram_bytes}));
  return launch;
}

harness::Plan plan_of(bool small) {
  const models::Shape& shape = models::find_shape(model_name);
  harness::Plan plan;
  plan.model = model_name;
  plan.isa = "avx2";
  plan.position_first = 65;
  plan.position_last = small ? 128 : 1023;
  plan.launches = small ? 1 : 8;
  plan.samples_per_arm = small ? 4 : 60;
  plan.golden = models::expected_golden(shape);
  plan.weight_bytes_per_token = models::cost(shape).weight_bytes_per_token;
  plan.kernel_version = models::kernel_version;
  plan.arms = {"warm", "aa", "evict_flush"};
  return plan;
}

Launch decode(Invention& invention, const harness::Plan& plan, int round) {
  Launch launch;
  launch.purpose = "decode";
  launch.plan = 0;
  launch.round = round;
  launch.start_ns = 9'000'000'000 + round * int64_t{1'000'000'000};
  launch.wall_ns = 990'000'000;
  launch.arm_order = {"warm", "aa", "evict_flush", "evict_flush", "aa", "warm"};
  launch.order_seed = 7 + static_cast<uint64_t>(round);
  launch.golden_got = plan.golden;
  launch.counters = {{"tokens", int64_t{1918}}, {"hardware_events", harness::Unavailable{"no PMU driver"}}};
  for (const std::string& arm : plan.arms) {
    Series series;
    series.probe = "decode";
    series.model = plan.model;
    series.arm = arm;
    series.mode = arm == "aa" ? "warm" : arm;
    const int timed = plan.position_last - plan.position_first + 1;
    for (int i = 0; i < plan.samples_per_arm; ++i) {
      const int block = i % (plan.samples_per_arm / 2);
      const int tokens = std::min(plan.block_tokens, timed - block * plan.block_tokens);
      const double token_ns = (arm == "evict_flush" ? 80'000 : 50'000) / invention.pace;
      series.samples.push_back(invention.wavering(token_ns * tokens));
      series.totals.wall_ns += series.samples.back();
    }
    series.totals.cpu_ns = series.totals.wall_ns - 1000;
    launch.series.push_back(series);
  }
  return launch;
}

harness::Machine machine_of(uint64_t seed) {
  harness::Machine machine;
  machine.arch = "x86_64";
  machine.vendor = seed % 2 == 0 ? "AuthenticAMD" : "GenuineIntel";
  machine.cpu_model = fmt::format("Synthetic CPU {}", seed);
  machine.family = 26;
  machine.model = 2;
  machine.stepping = 1;
  machine.cores = machine.threads = machine.affinity_pus = 2;
  machine.core_kinds = {{"uniform", 2, 2}};
  machine.caches = {{1, "data", 49152, 64, 12, 1, 2, "hwloc", ""},
                    {1, "instruction", 32768, 64, 8, 1, 2, "hwloc", ""},
                    {2, "unified", 1048576, 64, 16, 1, 2, "hwloc", ""},
                    {3, "unified", 33554432, 64, 16, 2, 1, "hwloc", ""}};
  machine.numa_nodes = 1;
  machine.memory_gib = 8;
  machine.page_bytes = 4096;
  machine.huge_pages_granted = true;
  machine.hypervisor = harness::Unavailable{"not virtualised"};
  machine.os_name = "debian";
  machine.os_major = 12;
  machine.kernel = "6.1";
  machine.machine_key = harness::machine_key(machine);
  return machine;
}

harness::Conditions conditions_of() {
  harness::Conditions conditions;
  conditions.governor = harness::Unavailable{"no cpufreq directory"};
  conditions.turbo = harness::Unavailable{"no cpufreq directory"};
  conditions.pinned_pu = 1;
  conditions.smt_sibling = "none";
  conditions.load1 = 0.25;
  conditions.steal_ratio = 0.001;
  conditions.psi_cpu_some = 0.0125;
  conditions.clock_source = "CLOCK_MONOTONIC_RAW";
  conditions.clock_resolution_ns = 10;
  conditions.clock_overhead_ns = 25;
  return conditions;
}

}  // namespace

harness::Submission synthetic_submission(uint64_t seed, bool small, uint64_t sitting) {
  Invention invention(seed + 1);
  for (uint64_t i = 0; i < sitting; ++i) invention.random = harness::SplitMix64(invention.random.next());
  harness::Submission submission;
  submission.created_utc = "2026-01-02T03:04:05Z";
  submission.nonce = std::string(32, '0');
  submission.protocol = "quick";
  submission.suite = {"0.1.0", "unknown", true, std::string(64, 'a'), "GNU 12.2.0", "-O2", "avx2", "auto"};
  submission.machine = machine_of(seed);
  submission.conditions = conditions_of();
  submission.plans = {plan_of(small)};
  const harness::Plan& plan = submission.plans.front();
  submission.launches.push_back(probes(invention, "probes", 1'000'000, sizes(small)));
  for (const char* mode : {"warm", "evict_flush"}) {
    const auto key = analysis::decode_key(plan, submission.machine, mode);
    for (auto& forecast : analysis::make_forecasts(submission, models::find_shape(plan.model), key)) {
      forecast.made_ns = 8'000'000'000;
      forecast.made_utc = submission.created_utc;
      submission.forecasts.push_back(std::move(forecast));
    }
  }
  for (int round = 0; round < plan.launches; ++round)
    submission.launches.push_back(decode(invention, plan, round));
  submission.launches.push_back(
      probes(invention, "roofs_after", 30'000'000'000, {1 << 20, 2 << 20, 16 << 20}));
  submission.derived = analysis::derive(submission);
  return submission;
}

SyntheticDocuments::SyntheticDocuments(int machines, bool small) : small_(small) {
  for (int machine = 0; machine < machines; ++machine)
    texts_.push_back(harness::to_canonical_json(synthetic_submission(static_cast<uint64_t>(machine), small)));
}

std::string SyntheticDocuments::text(int64_t number) const {
  const auto machines = static_cast<int64_t>(texts_.size());
  std::string text = texts_[static_cast<size_t>(number % machines)];
  if (!small_ && number >= machines)
    text = harness::to_canonical_json(synthetic_submission(static_cast<uint64_t>(number % machines), small_,
                                                           static_cast<uint64_t>(number / machines)));
  const auto put = [&](const std::string& key, const std::string& value) {
    text.replace(text.find(fmt::format("\"{}\":\"", key)) + key.size() + 4, value.size(), value);
  };
  put("nonce", fmt::format("{:032x}", number));
  // The first member: none of the forecasts' made_utc is meant.
  put("created_utc", fmt::format("2026-01-{:02}T{:02}:{:02}:{:02}Z", number / 86'400 % 28 + 1,
                                 number / 3600 % 24, number / 60 % 60, number % 60));
  return text;
}

}  // namespace cli
