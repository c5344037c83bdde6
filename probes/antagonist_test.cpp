#include "probes/antagonist.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

#include "harness/error.hpp"

namespace probes {
namespace {

constexpr int64_t kib = 1024, mib = int64_t{1} << 20, gib = int64_t{1} << 30;

/// Two cores with L1 of 48 KiB, L2 of `l2` and one L3 of `l3`.
harness::Topology make_topology(const std::string& l2, const std::string& l3) {
  return harness::read_synthetic_topology("pack:1 l3:1(size=" + l3 + ") l2:2(size=" + l2 +
                                          ") l1d:1(size=48KiB) core:1 pu:1");
}

harness::Reading<int64_t> bytes_of(Antagonism kind, const harness::Topology& topology,
                                   int64_t budget_bytes = gib) {
  return antagonist_bytes(kind, topology, 1, budget_bytes);
}

std::string reason(const harness::Reading<int64_t>& bytes) {
  const auto* why = std::get_if<harness::Unavailable>(&bytes);
  return why == nullptr ? "" : why->reason;
}

TEST(AntagonistBytes, come_from_the_caches_of_its_pu) {
  const auto topology = make_topology("1MiB", "32MiB");
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::spin, topology)), 0);
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::own_l1, topology)), 24 * kib);
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::stream_llc, topology)), 16 * mib);
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::stream_dram, topology)), 256 * mib);
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::walk_read, topology)), 64 * mib);
  const auto large = make_topology("2MiB", "128MiB");
  EXPECT_EQ(std::get<int64_t>(bytes_of(Antagonism::stream_dram, large)), 512 * mib);
}

TEST(AntagonistBytes, of_the_last_level_must_not_fit_into_the_level_before) {
  const auto bytes = bytes_of(Antagonism::stream_llc, make_topology("4MiB", "8MiB"));
  EXPECT_NE(reason(bytes).find("would stay in the L2"), std::string::npos) << reason(bytes);
}

TEST(AntagonistBytes, are_unavailable_without_the_caches_or_the_memory) {
  const auto bare = harness::read_synthetic_topology("pack:1 core:2 pu:1");
  for (const Antagonism kind : {Antagonism::own_l1, Antagonism::stream_llc, Antagonism::stream_dram})
    EXPECT_NE(reason(bytes_of(kind, bare)).find("reported"), std::string::npos);
  const auto bytes = bytes_of(Antagonism::stream_dram, make_topology("1MiB", "32MiB"), 200 * mib);
  EXPECT_NE(reason(bytes).find("may be taken"), std::string::npos) << reason(bytes);
}

int first_pu(const harness::Topology& topology) {
  return harness::allowed_pus(topology).front();
}

TEST(Antagonist, counts_what_it_touches_until_it_is_destroyed) {
  const auto topology = harness::read_host_topology();
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  for (const Antagonism kind : {Antagonism::walk_read, Antagonism::walk_write, Antagonism::own_l1,
                                Antagonism::stream_llc, Antagonism::stream_dram}) {
    Antagonist antagonist(topology, first_pu(topology), kind, &buffer);
    const Toll before = antagonist.toll();
    EXPECT_GT(before.bytes, 0);
    EXPECT_EQ(before.steps, 0);
    while (antagonist.toll().bytes == before.bytes) sched_yield();
    EXPECT_GT(antagonist.toll().cpu_ns, before.cpu_ns);
  }
}

TEST(Antagonist, has_gone_round_what_it_streams_before_anything_else_begins) {
  const auto topology = harness::read_host_topology();
  const harness::Buffer buffer(8 << 20, harness::Pages::huge);
  for (const Antagonism kind : {Antagonism::stream_llc, Antagonism::stream_dram}) {
    Antagonist antagonist(topology, first_pu(topology), kind, &buffer);
    EXPECT_GE(antagonist.toll().bytes, 8 << 20);
  }
}

TEST(Antagonist, spins_without_memory_and_counts_multiplications) {
  const auto topology = harness::read_host_topology();
  Antagonist antagonist(topology, first_pu(topology), Antagonism::spin, nullptr);
  const Toll before = antagonist.toll();
  EXPECT_GT(before.steps, 0);
  EXPECT_EQ(before.bytes, 0);
  while (antagonist.toll().steps == before.steps) sched_yield();
}

TEST(Antagonist, really_multiplies_once_per_step) {
  uint64_t expected = 3;
  for (int i = 0; i < 100; ++i) expected *= 6364136223846793005U;
  EXPECT_EQ(multiply_on(3, 100), expected);
  EXPECT_EQ(multiply_on(3, 0), 3U);
  EXPECT_NE(multiply_on(3, 99), expected);
}

/// Returns how many bytes of a buffer one walk round it changes.
size_t changed_bytes(Antagonism kind) {
  const auto topology = harness::read_host_topology();
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  const std::vector<std::byte> was(buffer.data(), buffer.data() + buffer.bytes());
  {
    Antagonist antagonist(topology, first_pu(topology), kind, &buffer);
    while (antagonist.toll().bytes < int64_t{1} << 20) sched_yield();
  }
  size_t changed = 0;
  for (size_t i = 0; i < was.size(); ++i) changed += was[i] != buffer.data()[i] ? 1 : 0;
  return changed;
}

TEST(Antagonist, changes_nothing_when_it_reads_and_at_most_one_byte_per_line_when_it_writes) {
  for (const Antagonism kind :
       {Antagonism::walk_read, Antagonism::own_l1, Antagonism::stream_llc, Antagonism::stream_dram})
    EXPECT_EQ(changed_bytes(kind), 0U);
  const size_t lines = (1 << 20) / 64;
  const size_t changed = changed_bytes(Antagonism::walk_write);
  EXPECT_LE(changed, lines);
  EXPECT_GT(changed, lines / 2);  // some bytes of random data are as written already
}

TEST(Antagonist, refuses_a_pu_that_this_process_may_not_use) {
  auto topology = harness::read_host_topology();
  for (auto& pu : topology.pus) pu.allowed = false;
  const harness::Buffer buffer(1 << 20, harness::Pages::huge);
  try {
    const Antagonist antagonist(topology, topology.pus.front().os_index, Antagonism::walk_read, &buffer);
    FAIL() << "the thread was started";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  }
}

}  // namespace
}  // namespace probes
