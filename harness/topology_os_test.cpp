#include "harness/topology_os.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

Topology cores_without_caches() {
  Topology topology = read_synthetic_topology("pack:1 core:2 pu:1");
  EXPECT_TRUE(topology.caches.empty());
  return topology;
}

TEST(topology_os, cpu_lists_are_ranges_and_single_numbers) {
  EXPECT_EQ(parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5\n"), (std::vector<int>{5}));
}

TEST(topology_os, what_is_no_cpu_list_is_empty) {
  for (const char* text : {"", "\n", "abc", "3-1", "0-", "-1", "0-99999999"}) {
    EXPECT_TRUE(parse_cpu_list(text).empty()) << text;
  }
}

TEST(topology_os, sysfs_tells_the_caches_that_hwloc_does_not) {
  Topology topology = cores_without_caches();
  add_os_caches(topology, "harness/testdata/sysfs/two_cores_shared_l2");
  ASSERT_EQ(topology.caches.size(), 3u);
  EXPECT_EQ(topology.caches[0], (Cache{1, "data", 48 << 10, 64, 12, 1, 2, "os", ""}));
  EXPECT_EQ(topology.caches[1], (Cache{1, "instruction", 32 << 10, 64, 8, 1, 2, "os", ""}));
  EXPECT_EQ(topology.caches[2], (Cache{2, "unified", 2 << 20, 64, 16, 2, 1, "os", ""}));
  EXPECT_EQ(topology.pus[0].llc, 0);
  EXPECT_EQ(topology.pus[1].llc, 0);
}

TEST(topology_os, sizes_of_zero_and_minus_one_are_unknown_and_nameless_entries_left_out) {
  Topology topology = cores_without_caches();
  add_os_caches(topology, "harness/testdata/sysfs/odd_cache_sizes");
  ASSERT_EQ(topology.caches.size(), 2u);
  EXPECT_EQ(topology.caches[0].bytes, 0u);
  EXPECT_EQ(topology.caches[1].bytes, 0u);
  EXPECT_EQ(topology.caches[1].shared_by_pus, 1) << "shared_cpu_list names CPUs that are not here";
}

TEST(topology_os, without_files_the_topology_stays_as_it_is) {
  Topology topology = read_synthetic_topology("pack:1 l2:1 core:2 pu:1");
  add_os_caches(topology, "harness/testdata/sysfs/nothing_here");
  ASSERT_EQ(topology.caches.size(), 1u);
  EXPECT_EQ(topology.caches[0].source, "hwloc");
}

}  // namespace
}  // namespace harness
