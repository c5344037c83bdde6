#include "harness/pinning.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>

#include "harness/error.hpp"

namespace harness {
namespace {

cpu_set_t current_mask() {
  cpu_set_t mask;
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

TEST(pinning, a_pin_holds_one_pu_and_gives_the_old_mask_back) {
  const Topology topology = read_host_topology();
  const cpu_set_t before = current_mask();
  for (int pu : allowed_pus(topology)) {
    const Pin pin(topology, pu);
    const cpu_set_t during = current_mask();
    EXPECT_EQ(CPU_COUNT(&during), 1);
    EXPECT_TRUE(CPU_ISSET(pu, &during));
    EXPECT_EQ(sched_getcpu(), pu);
    EXPECT_EQ(pin.pu(), pu);
  }
  const cpu_set_t after = current_mask();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(pinning, a_topology_read_while_pinned_allows_that_pu_alone) {
  const Topology topology = read_host_topology();
  const int pu = choose_pu(topology);
  const Pin pin(topology, pu);
  EXPECT_EQ(allowed_pus(read_host_topology()), std::vector<int>{pu});
}

TEST(pinning, a_foreign_topology_is_refused_even_where_the_pu_exists) {
  const Topology foreign = read_synthetic_topology("pack:1 core:2 pu:1");
  const cpu_set_t before = current_mask();
  try {
    const Pin pin(foreign, 0);
    FAIL() << "pinned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("not this machine"), std::string::npos);
  }
  const cpu_set_t after = current_mask();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(pinning, a_pu_that_is_not_allowed_is_refused) {
  Topology topology = read_host_topology();
  topology.pus.front().allowed = false;
  for (int pu : {topology.pus.front().os_index, 100'000, -1}) {
    try {
      const Pin pin(topology, pu);
      FAIL() << "pinned to " << pu;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::unavailable);
    }
  }
}

TEST(pinning, a_pu_that_only_the_topology_knows_is_refused_by_the_system) {
  Topology topology = read_host_topology();
  Pu imagined = topology.pus.front();
  imagined.os_index = 5000;
  topology.pus.push_back(imagined);
  EXPECT_THROW(Pin(topology, 5000), Error);
}

TEST(pinning, the_last_allowed_pu_of_the_first_kind_is_chosen) {
  const Topology hybrid = read_topology_xml("harness/testdata/topologies/Intel-RaptorLake-Corei7-1370P.xml");
  EXPECT_EQ(choose_pu(hybrid), 11) << "PUs 0-11 are performance cores";
  EXPECT_EQ(choose_pu(hybrid, 19), 19);
}

TEST(pinning, another_kind_is_chosen_when_the_first_one_is_forbidden) {
  Topology hybrid = read_topology_xml("harness/testdata/topologies/Intel-RaptorLake-Corei7-1370P.xml");
  for (Pu& pu : hybrid.pus) pu.allowed = pu.core_kind == 1;
  EXPECT_EQ(choose_pu(hybrid), 19);
}

TEST(pinning, a_wish_for_a_forbidden_pu_names_the_allowed_ones) {
  const Topology half = read_topology_xml("harness/testdata/topologies/disallowed-half.xml");
  EXPECT_EQ(choose_pu(half), 3);
  try {
    choose_pu(half, 0);
    FAIL() << "chosen";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("2,3"), std::string::npos);
  }
}

TEST(pinning, nothing_is_chosen_where_nothing_is_allowed) {
  Topology topology = read_synthetic_topology("pack:1 core:2 pu:1");
  for (Pu& pu : topology.pus) pu.allowed = false;
  EXPECT_THROW(choose_pu(topology), Error);
}

TEST(pinning, a_team_takes_one_pu_of_each_core_and_siblings_only_beyond_them) {
  // PUs 0 … 7: cores {0,1} {2,3} | {4,5} {6,7}, two caches.
  const Topology topology = read_synthetic_topology("pack:1 l3:2 core:2 pu:2");
  EXPECT_EQ(choose_team_pus(topology, 3, 1), std::vector<int>{3});
  EXPECT_EQ(choose_team_pus(topology, 3, 4), (std::vector<int>{3, 0, 4, 6})) << "its own cache's core first";
  EXPECT_EQ(choose_team_pus(topology, 3, 8), (std::vector<int>{3, 0, 4, 6, 1, 2, 5, 7}));
  EXPECT_EQ(sibling_count(topology, {3, 0, 4, 6}), 0);
  EXPECT_EQ(sibling_count(topology, {3, 0, 4, 6, 1, 2}), 2);
}

TEST(pinning, a_team_takes_the_core_kind_of_its_first_member_first) {
  Topology topology = read_synthetic_topology("pack:1 l3:1 core:4 pu:1");
  topology.pus[1].core_kind = topology.pus[2].core_kind = 1;
  EXPECT_EQ(choose_team_pus(topology, 0, 4), (std::vector<int>{0, 3, 1, 2}));
}

TEST(pinning, a_team_never_takes_a_pu_that_is_not_allowed) {
  Topology topology = read_synthetic_topology("pack:1 l3:1 core:4 pu:1");
  topology.pus[1].allowed = false;
  EXPECT_EQ(choose_team_pus(topology, 0, 3), (std::vector<int>{0, 2, 3}));
  for (const int count : {4, 0, -1}) {
    try {
      choose_team_pus(topology, 0, count);
      ADD_FAILURE() << count;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::unavailable);
      EXPECT_NE(std::string(error.what()).find("3 are allowed here (0,2,3)"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace harness
