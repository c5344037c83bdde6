#include "probes/core_team.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "harness/cycle_chain.hpp"
#include "harness/pinning.hpp"

namespace probes {
namespace {

TEST(CoreTeam, takes_one_allowed_pu_of_each_core) {
  harness::Topology topology;
  for (int i = 0; i < 6; ++i) {
    harness::Pu pu;
    pu.os_index = i;
    pu.core = i % 3;
    pu.allowed = i != 1;
    topology.pus.push_back(pu);
  }
  EXPECT_EQ(one_pu_per_core(topology), (std::vector<int>{0, 2, 4}));
}

TEST(CoreTeam, every_thread_is_bound_and_starts_when_all_are_prepared) {
  const auto topology = harness::read_host_topology();
  const auto pus = one_pu_per_core(topology);
  std::atomic<size_t> prepared{0};
  std::atomic<int> early{0}, elsewhere{0};
  const TeamRound round = run_together(
      topology, pus, harness::steady_clock(), [&](size_t) { ++prepared; },
      [&](size_t i) {
        if (prepared != pus.size()) ++early;
        if (harness::affinity_pus() != std::vector<int>{pus[i]}) ++elsewhere;
      });
  EXPECT_EQ(early, 0);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_GT(round.wall_ns, 0);
  EXPECT_GE(round.wall_ns, round.start_skew_ns);
  if (harness::read_core_clock_hz() > 0) {
    EXPECT_GT(round.disturbance.clock_before_hz, 0);
    EXPECT_GT(round.disturbance.clock_after_hz, 0);
  }
}

TEST(CoreTeam, a_thread_that_cannot_be_bound_fails_the_round_and_nobody_waits_for_it) {
  const auto topology = harness::read_host_topology();
  std::vector<int> pus = one_pu_per_core(topology);
  pus.push_back(1 << 20);
  std::atomic<int> timed{0};
  EXPECT_THROW(run_together(
                   topology, pus, harness::steady_clock(), [](size_t) {}, [&](size_t) { ++timed; }),
               harness::Error);
  EXPECT_EQ(timed, 0);
}

}  // namespace
}  // namespace probes
