#include "harness/measured_kind.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

Machine machine_of(const Topology& topology) {
  Machine machine;
  machine.core_kinds = topology.core_kinds;
  machine.caches = topology.caches;
  machine.machine_key = "key";
  return machine;
}

const Cache* first_data_cache(const Machine& machine, int level) {
  for (const Cache& cache : machine.caches) {
    if (cache.level == level && cache.type != "instruction") return &cache;
  }
  return nullptr;
}

TEST(measured_kind, of_a_hybrid_machine_restricted_to_one_kind_is_that_kind) {
  const Topology hybrid = read_topology_xml("harness/testdata/topologies/Intel-RaptorLake-Corei7-1370P.xml");
  Machine machine = machine_of(hybrid);
  put_measured_first(machine, hybrid, 19);  // an efficiency core
  EXPECT_EQ(machine.core_kinds.front().name, "efficiency");
  EXPECT_EQ(machine.core_kinds.back().name, "performance");
  EXPECT_EQ(first_data_cache(machine, 1)->bytes, 32U << 10);
  EXPECT_EQ(first_data_cache(machine, 2)->bytes, 2U << 20);
  EXPECT_EQ(first_data_cache(machine, 3)->bytes, 24U << 20);
  EXPECT_EQ(machine.caches.size(), hybrid.caches.size());
  EXPECT_EQ(machine.machine_key, "key");
}

TEST(measured_kind, of_a_dense_core_is_its_own_smaller_l3) {
  const Topology strix =
      read_topology_xml("harness/testdata/topologies/AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml");
  Machine machine = machine_of(strix);
  put_measured_first(machine, strix, 4);
  EXPECT_EQ(first_data_cache(machine, 3)->bytes, 8U << 20);
  EXPECT_EQ(machine.core_kinds.front().name, strix.core_kinds[1].name);
}

TEST(measured_kind, of_the_first_kind_changes_nothing) {
  const Topology hybrid = read_topology_xml("harness/testdata/topologies/Intel-RaptorLake-Corei7-1370P.xml");
  Machine machine = machine_of(hybrid);
  put_measured_first(machine, hybrid, 0);
  EXPECT_EQ(machine.caches, hybrid.caches);
  EXPECT_EQ(machine.core_kinds.front().name, "performance");
}

TEST(measured_kind, of_a_pu_that_is_not_there_changes_nothing) {
  const Topology uniform = read_synthetic_topology("pack:1 l3:1 l2:2 core:1 pu:1");
  Machine machine = machine_of(uniform);
  put_measured_first(machine, uniform, 99);
  EXPECT_EQ(machine.caches, uniform.caches);
}

}  // namespace
}  // namespace harness
