#include "probes/decode_placement.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "harness/error.hpp"
#include "harness/pinning.hpp"
#include "models/kernels/select.hpp"
#include "probes/decode.hpp"
#include "probes/decode_arms.hpp"

namespace probes {
namespace {

harness::Plan plan_of(std::vector<std::string> arms) {
  harness::Plan plan;
  plan.model = "coreflow_1_9m";
  plan.isa = "scalar";
  plan.position_last = 39;
  plan.warmup_tokens = 4;
  plan.arms = std::move(arms);
  plan.golden = models::expected_golden(models::find_shape(plan.model));
  plan.samples_per_arm = samples_per_arm(plan);
  return plan;
}

harness::Launch run(const harness::Plan& plan) {
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  return run_decode_launch(plan, {topology, harness::steady_clock(), pin.pu(), 5, {}});
}

TEST(DecodePlacement, two_threads_decode_the_golden_logits_on_two_pus) {
  const auto pus = harness::allowed_pus(harness::read_host_topology());
  if (pus.size() < 2) GTEST_SKIP() << "only one PU is allowed here";
  harness::Plan plan = plan_of({"warm", "aa"});
  plan.threads = 2;
  const harness::Launch launch = run(plan);
  EXPECT_EQ(launch.golden_got, plan.golden);
  for (const harness::Series& series : launch.series) {
    ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
    EXPECT_EQ(static_cast<int>(series.samples.size()), plan.samples_per_arm);
    const auto& list = std::get<std::string>(series.params.at("thread_pus"));
    EXPECT_EQ(std::count(list.begin(), list.end(), ','), 1) << list;
    for (const char* param : {"least_thread_cpu_ratio", "together_clock_ratio", "team_read_bytes_per_s"})
      EXPECT_GT(std::get<double>(series.params.at(param)), 0) << param;
    EXPECT_GE(std::get<int64_t>(series.params.at("team_yields")), 0);
  }
  EXPECT_GT(std::get<double>(launch.series[0].params.at("waiting_ratio")), 0);
  EXPECT_LT(std::get<double>(launch.series[0].params.at("waiting_ratio")), 1);
}

TEST(DecodePlacement, antagonists_find_no_pu_where_threads_take_all) {
  const auto pus = harness::allowed_pus(harness::read_host_topology());
  if (pus.size() < 2 || pus.size() > 8) GTEST_SKIP() << "not two to eight PUs";
  harness::Plan plan = plan_of({"warm", "evict_read"});
  plan.threads = static_cast<int>(pus.size());
  const harness::Launch launch = run(plan);
  EXPECT_EQ(launch.series[0].status, harness::Status::ok);
  EXPECT_EQ(launch.series[1].status, harness::Status::unavailable);
  EXPECT_NE(launch.series[1].reason.find("threads of the decode: only one PU is allowed"), std::string::npos)
      << launch.series[1].reason;
}

TEST(DecodePlacement, more_threads_than_pus_are_unavailable) {
  harness::Plan plan = plan_of({"warm"});
  plan.threads = static_cast<int>(harness::allowed_pus(harness::read_host_topology()).size()) + 1;
  try {
    run(plan);
    ADD_FAILURE() << "ran";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  }
}

TEST(DecodePlacement, one_thread_has_no_param_of_threads_and_small_pages_none_of_pages) {
  const harness::Launch launch = run(plan_of({"warm"}));
  for (const char* param : {"thread_pus", "least_thread_cpu_ratio", "waiting_ratio", "huge_weight_bytes"})
    EXPECT_EQ(launch.series[0].params.count(param), 0U) << param;
}

TEST(DecodePlacement, huge_pages_are_verified) {
  harness::Plan plan = plan_of({"warm", "aa"});
  plan.page_bytes = 2 << 20;
  const harness::Launch launch = run(plan);
  for (const harness::Series& series : launch.series) {
    const auto granted = std::get<int64_t>(series.params.at("huge_weight_bytes"));
    // Where the machine grants none, nothing may have been timed.
    EXPECT_EQ(series.status == harness::Status::ok, granted > 1'700'000) << series.reason;
    EXPECT_EQ(series.samples.empty(), series.status != harness::Status::ok);
  }
}

#ifdef PR_SET_THP_DISABLE
TEST(DecodePlacement, without_huge_pages_every_arm_is_unavailable_with_the_remedy) {
  // In a child: the setting cannot be taken back on old kernels.
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) _exit(77);
    harness::Plan plan = plan_of({"warm", "aa"});
    plan.page_bytes = 2 << 20;
    const harness::Launch launch = run(plan);
    bool right = launch.arm_order.empty();
    for (const harness::Series& series : launch.series) {
      right = right && series.status == harness::Status::unavailable && series.samples.empty() &&
              series.reason.find("transparent_hugepage") != std::string::npos &&
              std::get<int64_t>(series.params.at("huge_weight_bytes")) == 0;
    }
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this kernel cannot forbid huge pages";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace probes
