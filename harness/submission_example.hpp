// A submission in which every field is set: what tests of documents, validation and the store start from.
#pragma once
#include "harness/submission.hpp"

namespace harness {

inline const std::string example_hash(64, 'a');

inline DecodeKey example_key(const std::string& mode) {
  DecodeKey key;
  key.model = "coreflow_1_9m";
  key.mode = mode;
  key.isa = "avx2";
  key.position_first = 65;
  key.position_last = 1023;
  return key;
}

inline Machine example_machine() {
  Machine machine;
  machine.arch = "x86_64";
  machine.vendor = "AuthenticAMD";
  machine.cpu_model = "Example CPU 9000";
  machine.family = 26;
  machine.model = 2;
  machine.stepping = 1;
  machine.cores = 2;
  machine.threads = 2;
  machine.core_kinds = {{"uniform", 2, 2}};
  machine.affinity_pus = 2;
  machine.caches = {{1, "data", 49152, 64, 12, 1, 2, "hwloc", ""},
                    {1, "instruction", 32768, 64, 8, 1, 2, "hwloc", ""},
                    {2, "unified", 1048576, 64, 16, 1, 2, "hwloc", ""},
                    {3, "unified", 33554432, 64, 16, 2, 1, "os", ""},
                    {4, "unified", 134217728, 64, -1, 2, 1, "hwloc", "memory_side"}};
  machine.numa_nodes = 1;
  machine.memory_gib = 8;
  machine.page_bytes = 4096;
  machine.huge_pages_granted = true;
  machine.virtualised = true;
  machine.hypervisor = "KVMKVMKVM";
  machine.os_name = "debian";
  machine.os_major = 12;
  machine.kernel = "6.1";
  machine.machine_key = example_hash;
  return machine;
}

inline Conditions example_conditions() {
  Conditions conditions;
  conditions.governor = Unavailable{"no cpufreq directory"};
  conditions.turbo = Unavailable{"no cpufreq directory"};
  conditions.pinned_pu = 1;
  conditions.smt_sibling = "none";
  conditions.load1 = 0.25;
  conditions.steal_ratio = 0.001;
  conditions.psi_cpu_some = 0.0125;
  conditions.clock_source = "CLOCK_MONOTONIC_RAW";
  conditions.clock_resolution_ns = 10;
  conditions.clock_overhead_ns = 25;
  conditions.voluntary_switches = 12;
  conditions.involuntary_switches = 3;
  conditions.minor_faults = 4096;
  return conditions;
}

inline Launch example_probes() {
  Launch launch;
  launch.purpose = "probes";
  launch.start_ns = 1'000'000;
  launch.wall_ns = 5'000'000'000;
  launch.counters["PAPI_TOT_CYC"] = Unavailable{"no PMU driver"};
  Series curve;
  curve.probe = "load_bandwidth";
  curve.params = {{"pages", std::string("huge")}, {"accumulators", int64_t{8}}, {"fraction", 0.8}};
  curve.sizes_bytes = {4096, 8192};
  curve.work_per_sample = {4'096'000, 8'192'000};
  curve.work_unit = "bytes";
  curve.samples_by_size = {{20'000, 20'100}, {40'000, 41'000}};
  curve.disturbed = {{"steal", {1}}};
  curve.totals = {200'000'000, 199'000'000, 10'000'000, 1, 2, 0, 4'100'000'000, 4'200'000'000};
  Series missing;
  missing.probe = "residency";
  missing.status = Status::unavailable;
  missing.reason = "no user-space flush on this CPU";
  launch.series = {curve, missing};
  return launch;
}

inline Launch example_decode() {
  Launch launch;
  launch.purpose = "decode";
  launch.plan = 0;
  launch.start_ns = 9'000'000'000;
  launch.wall_ns = 1'000'000'000;
  launch.arm_order = {"warm", "evict_flush", "evict_flush", "warm"};
  launch.order_seed = 7;
  launch.golden_got = example_hash;
  launch.counters["tokens"] = int64_t{1918};
  Series warm;
  warm.probe = "decode";
  warm.model = "coreflow_1_9m";
  warm.arm = "warm";
  warm.mode = "warm";
  warm.placement = "none";
  warm.samples = {4'800'000, 4'810'000, 4'790'000};
  warm.disturbed = {{"involuntary_switch", {0}}, {"steal", {0, 1}}};
  warm.totals = {15'000'000, 14'900'000, 0, 1, 0, 0};
  launch.series = {warm};
  return launch;
}

inline Plan example_plan() {
  Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "avx2";
  plan.position_first = 65;
  plan.position_last = 1023;
  plan.positions = {65, 500, 1023};
  plan.evict_stream_bytes = 134'217'728;
  plan.samples_per_arm = 3;
  plan.golden = example_hash;
  plan.weight_bytes_per_token = 1'933'600;
  plan.kernel_version = "1";
  plan.arms = {"warm", "evict_flush"};
  plan.placement = "same_llc";
  return plan;
}

inline Derived example_derived() {
  Derived derived;
  derived.roofs = {{"l1", "uniform", 1, 4096, 24576, Interval{3e11, 2.9e11, 3.1e11},
                    Unavailable{"not probed"}, "read 3e11 bytes/s, more than allowed"}};
  derived.caches = {{"l2", "uniform", 1048576, Interval{900000, 800000, 1000000}, "knee of the read curve",
                     "cyclic", 32'000.0}};
  derived.retention = {
      {"l3", "uniform", 16'777'216, 11, 100'000'000, Interval{12e6, 9e6, 15e6}, std::nullopt, "lines seen"},
      {"l2", "uniform", 524'288, 11, 100'000'000, Unavailable{"longer than 100.0 ms"}, 1e8, "lines seen"}};
  derived.jumps = {
      {134'217'728, "uniform", 2'097'152, Interval{120, -3, 130}, Interval{2e10, 1.9e10, 2.1e10}, 0.03}};
  DecodeResult result;
  result.key = example_key("warm");
  result.arm = "warm";
  result.launches = 1;
  result.tokens_per_s = {6666.5, 6600, 6700};
  result.token_ns_p50 = 150'000;
  result.token_ns_p99 = 190'000;
  result.weight_bytes_per_token = 1'933'600;
  result.weight_bytes_per_s = 1.289e10;
  result.roof_fraction = 0.25;
  result.evicted_verified = Unavailable{"nothing is evicted in this mode"};
  result.kernel_version = "1";
  derived.decode = {result};
  derived.ratios = {{"evict_flush/warm", example_key("evict_flush"), 5, {0.5, 0.48, 0.52}}};
  derived.slowdowns = {{"evict_read",
                        example_key("evict_read"),
                        10,
                        {1.04, 1.02, 1.06},
                        {"shown", Interval{1.03, 1.01, 1.05}},
                        {"none_shown", Interval{1.01, 0.99, 1.02}},
                        {"cannot_tell", Unavailable{"stream_llc gave no speed"}}}};
  derived.interference = {{"same_llc", "stream_llc", 8'388'608, 9, {1.25, 1.2, 1.3}}};
  derived.forecast_errors = {{"curve", "1", example_key("warm"), 0.61, false}};
  derived.flags = {{"steal", "the hypervisor took 1.2 % of the run", 0.012}};
  return derived;
}

inline Submission example_submission() {
  Submission submission;
  submission.created_utc = "2026-01-02T03:04:05Z";
  submission.nonce = std::string(32, '0');
  submission.protocol = "quick";
  submission.claim = ClaimReference{"residency_pays", example_hash, "2026-01-01T00:00:00Z"};
  submission.suite = {"0.1.0", "unknown", true, example_hash, "GNU 12.2.0", "-O2", "avx2", "auto"};
  submission.machine = example_machine();
  submission.conditions = example_conditions();
  submission.plans = {example_plan()};
  submission.launches = {example_probes(), example_decode()};
  submission.interruptions = {{1, "resumed", 2'000'000'000, 8'900'000'000}};
  submission.derived = example_derived();
  submission.forecasts = {{"curve", "1", example_key("warm"), example_hash, Interval{10900, 9000, 13000},
                           8'000'000'000, "2026-01-02T03:04:00Z"},
                          {"dram_roof", "1", example_key("warm"), example_hash,
                           Unavailable{"dram_stream failed"}, 8'000'000'000, "2026-01-02T03:04:00Z"}};
  submission.verdicts = {{"residency_pays", example_hash, "inconclusive"}};
  submission.failure =
      Failure{"2.03x", "a published table", "1.05x", "verdict", "one line", 10, {"autogroup: on"}};
  return submission;
}

}  // namespace harness
