#include "probes/memory_walk.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

#include "harness/error.hpp"

namespace probes {
namespace {

/// A machine of `pus` PUs, two per core, all cores under `per_llc` PUs' last-level caches.
harness::Topology make_topology(int pus, int pus_per_core, int pus_per_llc) {
  return harness::read_synthetic_topology("pack:1 l3:" + std::to_string(pus / pus_per_llc) +
                                          " core:" + std::to_string(pus_per_llc / pus_per_core) +
                                          " pu:" + std::to_string(pus_per_core));
}

Neighbour found(const harness::Topology& topology) {
  return std::get<Neighbour>(nearest_neighbour(topology, 0));
}

TEST(NearestNeighbour, prefers_the_sibling_then_the_same_cache_then_any) {
  EXPECT_EQ(found(make_topology(8, 2, 4)).placement, "sibling");
  EXPECT_EQ(found(make_topology(8, 1, 4)).placement, "same_llc");
  EXPECT_EQ(found(make_topology(2, 1, 1)).placement, "other_llc");
  EXPECT_NE(found(make_topology(8, 2, 4)).pu, 0);
}

TEST(NearestNeighbour, is_unavailable_with_a_single_pu) {
  const auto neighbour = nearest_neighbour(make_topology(1, 1, 1), 0);
  ASSERT_FALSE(harness::available(neighbour));
  EXPECT_NE(std::get<harness::Unavailable>(neighbour).reason.find("only one PU"), std::string::npos);
}

TEST(NearestNeighbour, skips_pus_that_are_not_allowed) {
  auto topology = make_topology(2, 1, 2);
  topology.pus[1].allowed = false;
  EXPECT_FALSE(harness::available(nearest_neighbour(topology, 0)));
}

TEST(MemoryWalk, walks_until_it_is_destroyed) {
  const auto topology = harness::read_host_topology();
  const auto pus = harness::allowed_pus(topology);
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  MemoryWalk walk(topology, pus.front(), buffer, Walk::read);
  const int64_t before = walk.walked_bytes();
  EXPECT_GT(before, 0);
  while (walk.walked_bytes() == before) sched_yield();
}

/// Returns how many bytes of a buffer one walk round it changes.
size_t changed_bytes(Walk kind) {
  const auto topology = harness::read_host_topology();
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  const std::vector<std::byte> was(buffer.data(), buffer.data() + buffer.bytes());
  {
    const MemoryWalk walk(topology, harness::allowed_pus(topology).front(), buffer, kind);
    while (walk.walked_bytes() < int64_t{1} << 20) sched_yield();
  }
  size_t changed = 0;
  for (size_t i = 0; i < was.size(); ++i) changed += was[i] != buffer.data()[i] ? 1 : 0;
  return changed;
}

TEST(MemoryWalk, changes_nothing_when_it_reads_and_at_most_one_byte_per_line_when_it_writes) {
  EXPECT_EQ(changed_bytes(Walk::read), 0U);
  const size_t lines = (1 << 20) / 64;
  EXPECT_LE(changed_bytes(Walk::write), lines);
  EXPECT_GT(changed_bytes(Walk::write), lines / 2);  // some bytes of random data are as written already
}

TEST(MemoryWalk, refuses_a_pu_that_this_process_may_not_use) {
  auto topology = harness::read_host_topology();
  for (auto& pu : topology.pus) pu.allowed = false;
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  try {
    const MemoryWalk walk(topology, topology.pus.front().os_index, buffer, Walk::read);
    FAIL() << "the thread was started";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  }
}

}  // namespace
}  // namespace probes
