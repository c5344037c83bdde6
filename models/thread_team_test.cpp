#include "models/thread_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace models {
namespace {

/// Members write in turns what all must read after the next barrier.
struct Relay {
  ThreadTeam& team;
  std::vector<int> written;
  std::vector<int> wrong;  // per member

  static void run(void* of, int member) {
    auto& relay = *static_cast<Relay*>(of);
    for (int round = 0; round < 200; ++round) {
      const auto at = static_cast<size_t>(member);
      relay.written[at] = round;
      relay.team.wait(member);
      for (const int value : relay.written) relay.wrong[at] += value != round ? 1 : 0;
      relay.team.wait(member);
    }
  }
};

class Team : public testing::TestWithParam<int> {};

TEST_P(Team, what_is_written_before_a_barrier_is_read_behind_it) {
  ThreadTeam team(GetParam());
  const auto size = static_cast<size_t>(GetParam());
  Relay relay{team, std::vector<int>(size), std::vector<int>(size)};
  for (int i = 0; i < 3; ++i) team.run(Relay::run, &relay);
  EXPECT_EQ(relay.wrong, std::vector<int>(size, 0));
  EXPECT_EQ(relay.written, std::vector<int>(size, 199));
}

TEST_P(Team, a_run_ends_when_every_member_has_done_its_part) {
  ThreadTeam team(GetParam());
  std::array<std::atomic<int>, 16> calls{};
  for (int i = 1; i <= 10; ++i) {
    team.run(
        [](void* of, int member) { ++(*static_cast<decltype(calls)*>(of))[static_cast<size_t>(member)]; },
        &calls);
    for (int member = 0; member < GetParam(); ++member) ASSERT_EQ(calls[static_cast<size_t>(member)], i);
  }
}

// Also with more members than this machine has CPUs.
INSTANTIATE_TEST_SUITE_P(Sizes, Team, testing::Values(1, 2, 3, 5, 16));

TEST(thread_team, ends_without_ever_having_run) {
  const ThreadTeam team(3);
  EXPECT_EQ(team.size(), 3);
}

TEST(thread_team, tells_the_cpu_time_of_its_workers) {
  ThreadTeam team(2);
  team.run([](void*, int) {}, nullptr);
  ASSERT_EQ(team.worker_cpu_ns().size(), 1u);
  EXPECT_GT(team.worker_cpu_ns()[0], 0);
}

TEST(thread_team, a_member_that_cannot_be_bound_ends_the_team) {
  const harness::Topology topology = harness::read_host_topology();
  const int own = harness::allowed_pus(topology).front();
  try {
    const ThreadTeam team(topology, {own, own, 9999});
    ADD_FAILURE() << "bound to PU 9999";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("9999"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace models
