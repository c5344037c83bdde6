// Machines that users really have and that this one is not: docs/machines.md lists each with its answer.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "harness/error.hpp"
#include "harness/pinning.hpp"
#include "harness/topology.hpp"

namespace harness {
namespace {

Topology recorded(const std::string& name) {
  return read_topology_xml("harness/testdata/topologies/" + name + ".xml");
}

/// Allows the PUs first … last alone.
Topology allowing(Topology topology, int first, int last) {
  for (Pu& pu : topology.pus) pu.allowed = pu.os_index >= first && pu.os_index <= last;
  return topology;
}

int llc_of(const Topology& topology, int os_index) {
  for (const Pu& pu : topology.pus) {
    if (pu.os_index == os_index) return pu.llc;
  }
  return -2;
}

TEST(odd_machine, with_cpu_0_offline_is_measured_on_another) {
  Topology topology = read_synthetic_topology("pack:1 l3:1 l2:4 l1d:1 core:1 pu:1");
  topology.pus.erase(topology.pus.begin());
  EXPECT_EQ(allowed_pus(topology), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(choose_pu(topology), 3);
  EXPECT_EQ(neighbour_pu(topology, 3, "same_llc"), 1);
  EXPECT_NE(find_cache(topology, 2, 1), nullptr);
  EXPECT_EQ(find_cache(topology, 2, 0), nullptr) << "CPU 0 sees nothing";
  EXPECT_THROW(choose_pu(topology, 0), Error);
}

TEST(odd_machine, whose_cpuset_leaves_out_cpu_0_is_measured_inside_it) {
  const std::vector<int> before = affinity_pus();
  if (before.size() < 2) GTEST_SKIP() << "a single CPU is allowed here";
  std::thread([&before] {
    cpu_set_t all_but_first;
    CPU_ZERO(&all_but_first);
    for (size_t i = 1; i < before.size(); ++i) CPU_SET(before[i], &all_but_first);
    ASSERT_EQ(sched_setaffinity(0, sizeof all_but_first, &all_but_first), 0);
    const Topology topology = read_host_topology();
    EXPECT_EQ(allowed_pus(topology), std::vector<int>(before.begin() + 1, before.end()));
    const Pin pin(topology, choose_pu(topology));
    EXPECT_NE(pin.pu(), before.front());
    EXPECT_EQ(affinity_pus(), std::vector<int>{pin.pu()});
    EXPECT_THROW(choose_pu(topology, before.front()), Error);
  }).join();
  EXPECT_EQ(affinity_pus(), before);
}

TEST(odd_machine, that_allows_10_of_16_cpus_keeps_to_them) {
  const Topology topology = allowing(read_synthetic_topology("pack:1 l3:2 l2:8 l1d:1 core:1 pu:1"), 3, 12);
  EXPECT_EQ(allowed_pus(topology).size(), 10U);
  EXPECT_EQ(topology.pus.size(), 16U) << "the others are part of the machine";
  EXPECT_EQ(choose_pu(topology), 12);
  const int same = neighbour_pu(topology, 12, "same_llc"), other = neighbour_pu(topology, 12, "other_llc");
  EXPECT_TRUE(same >= 8 && same <= 11) << same;
  EXPECT_TRUE(other >= 3 && other <= 7) << other;
  EXPECT_THROW(choose_pu(topology, 13), Error);
}

TEST(odd_machine, with_several_l3_per_package_has_the_size_of_one) {
  const Topology topology =
      read_synthetic_topology("pack:2 l3:16(size=16777216) l2:4(size=512kB) l1d:1(size=32kB) core:1 pu:2");
  EXPECT_EQ(last_level_cache(topology)->bytes, 16U << 20) << "not 256 MiB of a package, nor 512 of all";
  EXPECT_EQ(last_level_cache(topology)->instances, 32);
  EXPECT_EQ(last_level_cache(topology)->shared_by_pus, 8);
  EXPECT_EQ(llc_of(topology, 0), llc_of(topology, 7));
  EXPECT_NE(llc_of(topology, 0), llc_of(topology, 8)) << "of the same package";
  EXPECT_EQ(neighbour_pu(topology, 0, "same_llc"), 2) << "1 is a sibling";
  EXPECT_EQ(neighbour_pu(topology, 0, "other_llc"), 8);
}

TEST(odd_machine, whose_clusters_share_an_l2_ends_with_it) {
  const Topology topology = read_synthetic_topology("pack:1 l2:3(size=12MB) l1d:4(size=96kB) core:1 pu:1");
  EXPECT_EQ(last_level_cache(topology)->level, 2);
  EXPECT_EQ(last_level_cache(topology)->shared_by_pus, 4);
  EXPECT_EQ(find_cache(topology, 3), nullptr);
  EXPECT_EQ(neighbour_pu(topology, 0, "same_llc"), 1);
  EXPECT_EQ(neighbour_pu(topology, 0, "other_llc"), 4);
}

TEST(odd_machine, with_four_threads_per_core_has_three_siblings) {
  const Topology topology = recorded("Intel-KnightsLanding-XeonPhi-7210");
  EXPECT_EQ(topology.pus.size(), 4U * static_cast<size_t>(topology.cores));
  const int self = choose_pu(topology);
  const auto core_of = [&topology](int pu) { return topology.pus[static_cast<size_t>(pu)].core; };
  EXPECT_EQ(std::count_if(topology.pus.begin(), topology.pus.end(),
                          [&](const Pu& pu) { return pu.core == core_of(self) && pu.os_index != self; }),
            3);
  const int sibling = neighbour_pu(topology, self, "sibling"),
            same = neighbour_pu(topology, self, "same_llc");
  EXPECT_EQ(core_of(sibling), core_of(self));
  EXPECT_NE(core_of(same), core_of(self)) << "L2 is shared by two cores: the other one";
}

TEST(odd_machine, whose_l3_spans_packages_as_a_hypervisor_tells_it_is_taken_at_its_word) {
  const Topology topology = read_synthetic_topology("l3:2(size=32MB) pack:2 l2:2(size=1MB) core:1 pu:1");
  ASSERT_NE(last_level_cache(topology), nullptr);
  EXPECT_EQ(last_level_cache(topology)->level, 3);
  EXPECT_EQ(last_level_cache(topology)->shared_by_pus, 4);
  EXPECT_EQ(last_level_cache(topology)->instances, 2);
  EXPECT_EQ(topology.packages, 4);
  EXPECT_EQ(llc_of(topology, 0), llc_of(topology, 3)) << "of another package";
  EXPECT_NE(llc_of(topology, 0), llc_of(topology, 4));
}

TEST(odd_machine, with_more_than_1024_cpus_is_measured_on_the_last) {
  const Topology topology = read_synthetic_topology("pack:8 l3:4 l2:16 l1d:1 core:1 pu:4");
  EXPECT_EQ(choose_pu(topology), 2047);
  EXPECT_EQ(neighbour_pu(topology, 2047, "sibling"), 2044);
  EXPECT_GE(affinity_pus().size(), 1U) << "the mask of this thread, whatever its size";
}

}  // namespace
}  // namespace harness
