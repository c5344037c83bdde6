#include "probes/decode.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/counters.hpp"
#include "harness/error.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/fake_clock.hpp"
#include "models/decoder.hpp"
#include "models/shape.hpp"

namespace probes {
namespace {

constexpr int64_t positions = 40;  // one full block and a short one

harness::Plan make_plan(const std::vector<std::string>& arms) {
  harness::Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "scalar";
  plan.position_first = 3;
  plan.position_last = 3 + positions - 1;
  plan.arms = arms;
  plan.golden = models::expected_golden(models::find_shape(plan.model));
  plan.samples_per_arm = samples_per_arm(plan);
  return plan;
}

harness::Launch run(const harness::Plan& plan, const harness::Topology& topology) {
  const auto pus = harness::allowed_pus(topology);
  return run_decode_launch(plan, {topology, harness::steady_clock(), pus.front(), 5, {}});
}

const harness::Series& series_of(const harness::Launch& launch, const std::string& arm) {
  return *std::find_if(launch.series.begin(), launch.series.end(),
                       [&](const auto& s) { return s.arm == arm; });
}

TEST(Decode, every_arm_gives_its_declared_samples_all_positive) {
  const auto plan = make_plan({"warm", "aa", "evict_flush"});
  const auto launch = run(plan, harness::read_host_topology());
  EXPECT_EQ(launch.purpose, "decode");
  EXPECT_EQ(launch.golden_got, plan.golden);
  EXPECT_EQ(launch.arm_order, arm_order(plan.arms, 5));
  EXPECT_EQ(launch.start_ns, 0);
  ASSERT_EQ(launch.series.size(), 3U);
  int64_t sum_ns = 0;
  for (const auto& series : launch.series) {
    if (series.status == harness::Status::unavailable) continue;
    EXPECT_EQ(series.status, harness::Status::ok) << series.arm << ": " << series.reason;
    EXPECT_EQ(series.probe, "decode");
    EXPECT_EQ(series.model, plan.model);
    EXPECT_EQ(series.placement, "none");
    ASSERT_EQ(static_cast<int>(series.samples.size()), plan.samples_per_arm) << series.arm;
    for (const int64_t ns : series.samples) {
      EXPECT_GT(ns, 0);
      sum_ns += ns;
    }
    EXPECT_GE(series.totals.wall_ns,
              series.samples[0] + series.samples[1] + series.samples[2] + series.samples[3]);
  }
  EXPECT_LT(sum_ns, launch.wall_ns);
  EXPECT_EQ(series_of(launch, "aa").mode, "warm");
}

TEST(Decode, a_sample_is_the_sum_of_its_tokens_durations_and_the_last_block_is_shorter) {
  harness::FakeClock time;
  time.per_read_ns = 5;
  const auto topology = harness::read_host_topology();
  const auto launch =
      run_decode_launch(make_plan({"warm", "evict_flush"}), {topology, time.clock(), 0, 5, {}});
  for (const auto& series : launch.series) {
    if (series.status == harness::Status::unavailable) continue;
    EXPECT_EQ(series.samples, (std::vector<int64_t>{32 * 5, 8 * 5, 32 * 5, 8 * 5})) << series.arm;
  }
}

/// Six single positions, and a stream far too small to evict anything: what is tested is which tokens are
/// timed.
harness::Plan make_list_plan(const std::vector<std::string>& arms) {
  auto plan = make_plan(arms);
  time_single_positions(plan, 6);
  plan.evict_stream_bytes = 1 << 20;
  return plan;
}

TEST(Decode, of_a_list_each_position_is_a_sample_of_its_own) {
  const auto plan = make_list_plan({"warm", "aa", "evict_stream"});
  const auto launch = run(plan, harness::read_host_topology());
  for (const auto& series : launch.series) {
    // The stream is too small to evict: found out, and its samples are kept.
    if (series.reason.rfind("not_evicted", 0) != 0 || series.arm != "evict_stream") {
      EXPECT_EQ(series.status, harness::Status::ok) << series.arm << ": " << series.reason;
    }
    EXPECT_EQ(series.samples.size(), 12U);
    EXPECT_EQ(static_cast<int>(series.samples.size()), plan.samples_per_arm);
  }
}

TEST(Decode, the_stream_before_a_token_and_the_tokens_between_are_not_timed) {
  harness::FakeClock time;
  time.per_read_ns = 5;
  auto plan = make_list_plan({"warm", "evict_stream"});
  plan.block_tokens = 4;
  plan.samples_per_arm = samples_per_arm(plan);
  const auto topology = harness::read_host_topology();
  const auto launch = run_decode_launch(plan, {topology, time.clock(), 0, 5, {}, nullptr});
  for (const auto& series : launch.series)
    EXPECT_EQ(series.samples, (std::vector<int64_t>{4 * 5, 2 * 5, 4 * 5, 2 * 5})) << series.arm;
}

TEST(Decode, a_list_decodes_the_same_tokens_as_its_range) {
  if (!harness::available(harness::read_counter_support().sde))
    GTEST_SKIP() << "PAPI has no software-defined events";
  const auto plan = make_list_plan({"warm"});
  const auto launch = run(plan, harness::read_host_topology());
  const int from_first_to_last = plan.position_last - plan.position_first + 1;
  EXPECT_EQ(std::get<int64_t>(launch.counters.at("tokens")), 2 * from_first_to_last);
}

TEST(Decode, without_a_size_to_stream_the_arm_fails_as_not_evicted_and_the_others_run) {
  auto plan = make_list_plan({"warm", "evict_stream"});
  plan.evict_stream_bytes = 0;
  const auto launch = run(plan, harness::read_host_topology());
  const auto& series = series_of(launch, "evict_stream");
  EXPECT_EQ(series.status, harness::Status::failed);
  EXPECT_EQ(series.reason.rfind("not_evicted: ", 0), 0U) << series.reason;
  EXPECT_TRUE(series.samples.empty());
  EXPECT_EQ(launch.arm_order, (std::vector<std::string>{"warm", "warm"}));
  EXPECT_EQ(series_of(launch, "warm").status, harness::Status::ok);
}

TEST(Decode, counts_exactly_the_timed_tokens_in_software) {
  const auto plan = make_plan({"warm", "aa"});
  const auto launch = run(plan, harness::read_host_topology());
  const auto& tokens = launch.counters.at("tokens");
  if (!harness::available(harness::read_counter_support().sde))
    GTEST_SKIP() << "PAPI has no software-defined events";
  ASSERT_TRUE(harness::available(tokens)) << std::get<harness::Unavailable>(tokens).reason;
  EXPECT_EQ(std::get<int64_t>(tokens), 2 * 2 * positions);
}

TEST(Decode, the_flushed_arm_says_how_much_it_flushes) {
  const auto launch = run(make_plan({"warm", "evict_flush"}), harness::read_host_topology());
  const auto cost = models::cost(models::find_shape("coreflow_1_9m"));
  EXPECT_GE(std::get<int64_t>(series_of(launch, "evict_flush").params.at("flush_bytes")),
            cost.code_bytes_per_token);
  EXPECT_EQ(series_of(launch, "warm").params.count("flush_bytes"), 0U);
}

TEST(Decode, arms_that_evict_carry_the_numbers_of_four_checks) {
  const auto launch =
      run(make_list_plan({"warm", "evict_flush", "evict_stream"}), harness::read_host_topology());
  EXPECT_EQ(series_of(launch, "warm").params.count("check_laps"), 0U);
  for (const char* arm : {"evict_flush", "evict_stream"}) {
    const auto& series = series_of(launch, arm);
    if (series.status == harness::Status::unavailable) continue;
    const auto evidence = harness::read_evidence(series.params);
    ASSERT_TRUE(harness::available(evidence)) << std::get<harness::Unavailable>(evidence).reason;
    EXPECT_EQ(std::get<harness::EvictionEvidence>(evidence).checks, 4);
    const auto verdict = harness::judge_eviction(std::get<harness::EvictionEvidence>(evidence));
    if (!harness::available(verdict)) continue;
    EXPECT_EQ(std::get<harness::EvictionVerdict>(verdict).evicted, series.status == harness::Status::ok);
  }
}

TEST(Decode, the_antagonists_run_on_another_pu_and_their_place_is_recorded) {
  const auto topology = harness::read_host_topology();
  if (harness::allowed_pus(topology).size() < 2) GTEST_SKIP() << "only one PU is allowed here";
  const auto launch = run(make_plan({"evict_read", "evict_write"}), topology);
  for (const auto& series : launch.series) {
    ASSERT_EQ(series.status, harness::Status::ok) << series.arm << ": " << series.reason;
    EXPECT_NE(series.placement, "none");
    EXPECT_EQ(series.samples.size(), 4U);
    EXPECT_GT(std::get<int64_t>(series.params.at("antagonist_bytes")), 0);
    const auto handovers = harness::numbers_between_spaces(series.params, "handovers_ns");
    ASSERT_TRUE(harness::available(handovers)) << "the least and the most";
    const auto& ns = std::get<std::vector<int64_t>>(handovers);
    ASSERT_EQ(ns.size(), 2U);
    EXPECT_GT(ns[0], 0);
    EXPECT_LE(ns[0], ns[1]);
  }
}

TEST(Decode, the_controls_prove_that_they_ran) {
  const auto topology = harness::read_host_topology();
  if (harness::allowed_pus(topology).size() < 2) GTEST_SKIP() << "only one PU is allowed here";
  const auto launch = run(make_plan({"spin", "own_l1", "stream_llc", "stream_dram"}), topology);
  for (const auto& series : launch.series) {
    if (series.status == harness::Status::unavailable) continue;  // caches not told, or too little memory
    ASSERT_EQ(series.status, harness::Status::ok) << series.arm << ": " << series.reason;
    EXPECT_NE(series.placement, "none");
    EXPECT_EQ(series.samples.size(), 4U);
    const bool spins = series.arm == "spin";
    EXPECT_EQ(series.params.count("antagonist_steps_per_s"), spins ? 1U : 0U);
    EXPECT_EQ(series.params.count("antagonist_bytes"), spins ? 0U : 1U);
    EXPECT_EQ(series.params.count("antagonist_bytes_per_s"), spins ? 0U : 1U);
    EXPECT_GT(
        std::get<int64_t>(series.params.at(spins ? "antagonist_steps_per_s" : "antagonist_bytes_per_s")), 0);
    EXPECT_GT(std::get<double>(series.params.at("antagonist_cpu_ratio")), 0);
  }
}

TEST(Decode, an_antagonist_runs_where_the_plan_says_or_not_at_all) {
  const auto topology = harness::read_host_topology();
  for (const std::string place : {"sibling", "same_llc", "other_llc"}) {
    auto plan = make_plan({"warm", "spin"});
    plan.placement = place;
    const auto launch = run(plan, topology);
    const auto& series = series_of(launch, "spin");
    const bool exists = harness::neighbour_pu(topology, harness::allowed_pus(topology).front(), place) >= 0;
    EXPECT_EQ(series.status, exists ? harness::Status::ok : harness::Status::unavailable) << place;
    EXPECT_EQ(series.placement, exists ? place : "none");
    EXPECT_EQ(series_of(launch, "warm").status, harness::Status::ok);
  }
}

TEST(Decode, the_antagonist_is_unavailable_with_one_pu_and_the_other_arms_run) {
  const auto launch =
      run(make_plan({"warm", "evict_read"}), harness::read_synthetic_topology("pack:1 l3:1 core:1 pu:1"));
  const auto& series = series_of(launch, "evict_read");
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("only one PU"), std::string::npos) << series.reason;
  EXPECT_TRUE(series.samples.empty());
  EXPECT_EQ(launch.arm_order, (std::vector<std::string>{"warm", "warm"}));
  EXPECT_EQ(series_of(launch, "warm").status, harness::Status::ok);
}

TEST(Decode, wrong_logits_fail_every_series_and_nothing_is_timed) {
  auto plan = make_plan({"warm", "aa"});
  plan.golden = std::string(64, '0');
  const auto launch = run(plan, harness::read_host_topology());
  EXPECT_NE(launch.golden_got, plan.golden);
  ASSERT_EQ(launch.series.size(), 2U);
  for (const auto& series : launch.series) {
    EXPECT_EQ(series.status, harness::Status::failed);
    EXPECT_NE(series.reason.find(plan.golden), std::string::npos);
    EXPECT_NE(series.reason.find(*launch.golden_got), std::string::npos);
    EXPECT_TRUE(series.samples.empty());
  }
}

TEST(Decode, other_weights_give_other_logits) {
  auto plan = make_plan({"warm"});
  plan.weights_seed = 2;
  EXPECT_EQ(run(plan, harness::read_host_topology()).series.front().status, harness::Status::failed);
}

TEST(Decode, progress_rises_to_one) {
  std::vector<double> seen;
  const auto topology = harness::read_host_topology();
  run_decode_launch(make_plan({"warm", "aa"}), {topology, harness::steady_clock(), 0, 5,
                                                [&](double fraction) { seen.push_back(fraction); }});
  EXPECT_EQ(seen, (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
}

/// Returns the code with which a changed plan is refused; fails the test when it is taken.
template <class Change>
harness::ExitCode refusal(const Change& change) {
  auto plan = make_plan({"warm"});
  change(plan);
  try {
    check_plan(plan);
  } catch (const harness::Error& error) {
    return error.code();
  }
  return harness::ExitCode::ok;
}

TEST(Decode, plans_that_cannot_run_are_usage_errors) {
  using harness::ExitCode;
  using harness::Plan;
  EXPECT_EQ(refusal([](Plan&) {}), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.position_first = 0; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.position_last = 1023; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.position_last = 1024; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.position_first = -1; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.position_last = 2; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.model = "coreflow_1_8m"; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.isa = "avx3"; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.arms = {"warm", "evict_strem"}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.arms = {"warm", "warm"}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.arms.clear(); }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.block_tokens = 0; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.warmup_tokens = -1; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.warmup_tokens = 1025; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { time_single_positions(p, 4); }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.positions = {3, 4, 42}; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.positions = {3, 4, 41}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.positions = {4, 42}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.positions = {3, 9, 4, 42}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.positions = {3, 9, 9, 42}; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.evict_stream_bytes = 1 << 20; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.evict_stream_bytes = -512; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.evict_stream_bytes = 100; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.evict_stream_bytes = int64_t{1} << 50; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.weights = std::string(64, 'a'); }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.threads = 2; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.threads = 0; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.threads = 1025; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.page_bytes = 2097152; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.page_bytes = 65536; }), ExitCode::usage);
  EXPECT_EQ(refusal([](Plan& p) { p.placement = "sibling"; }), ExitCode::ok);
  EXPECT_EQ(refusal([](Plan& p) { p.placement = "none"; }), ExitCode::usage);
}

}  // namespace
}  // namespace probes
