#include "probes/decode_routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "probes/decode.hpp"

namespace probes {
namespace {

using harness::ExitCode;

harness::Plan plan_with(const std::string& routing) {
  harness::Plan plan;
  plan.model = "moe_ternary_8m";
  plan.isa = "scalar";
  plan.position_first = 3;
  plan.position_last = 20;
  plan.warmup_tokens = 8;
  plan.arms = {"warm"};
  plan.routing = routing;
  plan.samples_per_arm = samples_per_arm(plan);
  return plan;
}

const models::Shape& mixture() {
  return models::find_shape("moe_ternary_8m");
}

/// A trace file that is removed again: `tokens` tokens of 6 blocks with two experts each.
class TraceFile {
 public:
  explicit TraceFile(int tokens, const std::string& choice = "3 11") {
    std::ofstream file(path);
    for (int i = 0; i < 6 * tokens; ++i) file << choice << '\n';
  }
  ~TraceFile() { std::remove(path.c_str()); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  [[nodiscard]] std::string routing() const { return "file:" + harness::sha256_file_hex(path); }
  std::string path = "/tmp/tokroof_trace_" + harness::random_hex(8);
};

ExitCode refusal(const harness::Plan& plan, const std::string& file = "") {
  try {
    check_plan(plan, nullptr, file);
  } catch (const harness::Error& error) {
    return error.code();
  }
  return ExitCode::ok;
}

TEST(DecodeRouting, a_trace_covers_every_position_of_timed_tokens_and_warm_up) {
  EXPECT_EQ(make_plan_trace(plan_with("uniform"), mixture(), "")->shape().tokens, 21);
  harness::Plan plan = plan_with("zipf:1.1");
  plan.warmup_tokens = 64;
  EXPECT_EQ(make_plan_trace(plan, mixture(), "")->shape().tokens, 64);
  EXPECT_FALSE(make_plan_trace(plan_with("none"), mixture(), ""));
}

TEST(DecodeRouting, the_same_plan_makes_the_same_trace) {
  const auto one = make_plan_trace(plan_with("sticky:0.45"), mixture(), ""),
             two = make_plan_trace(plan_with("sticky:0.45"), mixture(), "");
  for (int token = 0; token < 21; ++token) {
    const auto a = one->at(token, 5), b = two->at(token, 5);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  }
}

TEST(DecodeRouting, plans_whose_routing_cannot_be_followed_are_refused) {
  EXPECT_EQ(refusal(plan_with("uniform")), ExitCode::ok);
  EXPECT_EQ(refusal(plan_with("zipf")), ExitCode::usage);
  EXPECT_EQ(refusal(plan_with("stick:0.4")), ExitCode::usage);
  harness::Plan dense = plan_with("uniform");
  dense.model = "coreflow_1_9m";
  EXPECT_EQ(refusal(dense), ExitCode::usage);
  dense.routing = "none";
  EXPECT_EQ(refusal(dense), ExitCode::ok);
}

TEST(DecodeRouting, trace_files_with_faults_are_refused) {
  const TraceFile good(21), short_one(20), wrong_expert(21, "3 16"), wrong_k(21, "3 4 5");
  EXPECT_EQ(refusal(plan_with(good.routing()), good.path), ExitCode::ok);
  EXPECT_EQ(refusal(plan_with(good.routing()), short_one.path), ExitCode::usage)
      << "another file than the plan's";
  EXPECT_EQ(refusal(plan_with(short_one.routing()), short_one.path), ExitCode::invalid_input);
  EXPECT_EQ(refusal(plan_with(wrong_expert.routing()), wrong_expert.path), ExitCode::invalid_input);
  EXPECT_EQ(refusal(plan_with(wrong_k.routing()), wrong_k.path), ExitCode::invalid_input);
  EXPECT_EQ(refusal(plan_with(good.routing()), "/no/such/file"), ExitCode::invalid_input);
}

TEST(DecodeRouting, a_launch_follows_the_trace_after_its_golden_pass) {
  const harness::Topology topology = harness::read_host_topology();
  const auto run = [&](const harness::Plan& plan) {
    return run_decode_launch(
        plan, {topology, harness::steady_clock(), harness::allowed_pus(topology).front(), 5, {}});
  };
  const harness::Launch own = run(plan_with("none")), routed = run(plan_with("uniform"));
  ASSERT_EQ(routed.series.size(), 1u);
  EXPECT_EQ(routed.series[0].status, harness::Status::ok) << routed.series[0].reason;
  EXPECT_EQ(routed.golden_got, own.golden_got);
}

}  // namespace
}  // namespace probes
