// Every recorded machine against what hwloc's own tools say of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/topology.hpp"

namespace harness {
namespace {

const std::string folder = "harness/testdata/topologies/";

/// Says a topology in the words of testdata/topologies/expect.py.
std::set<std::string> described(const Topology& topology) {
  std::set<std::string> lines;
  lines.insert(fmt::format("packages {} cores {} pus {} allowed {} numa_nodes {}", topology.packages,
                           topology.cores, topology.pus.size(), allowed_pus(topology).size(),
                           topology.numa_nodes));
  for (const Cache& cache : topology.caches) {
    lines.insert(fmt::format("{}L{} {} {} bytes line {} ways {} shared {} instances {}",
                             cache.memory_side.empty() ? "" : "memory-side ", cache.level, cache.type,
                             cache.bytes, cache.line_bytes, cache.ways, cache.shared_by_pus,
                             cache.instances));
  }
  for (const CoreKind& kind : topology.core_kinds) {
    if (kind.name != "uniform") lines.insert(fmt::format("kind of {} pus", kind.pus));
  }
  return lines;
}

struct Expectation {
  std::string file;
  std::set<std::string> lines;
};
void PrintTo(const Expectation& expectation, std::ostream* out) {
  *out << expectation.file;
}

/// Reads expected.txt: a file name per machine, its facts below, indented.
std::vector<Expectation> expectations() {
  std::vector<Expectation> all;
  std::ifstream file(folder + "expected.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("  ", 0) == 0) {
      all.back().lines.insert(line.substr(2));
    } else {
      all.push_back({line, {}});
    }
  }
  return all;
}

class recorded_machine : public testing::TestWithParam<Expectation> {};

TEST_P(recorded_machine, is_read_as_the_tools_of_hwloc_read_it) {
  EXPECT_EQ(described(read_topology_xml(folder + GetParam().file)), GetParam().lines);
}

TEST_P(recorded_machine, keeps_its_invariants) {
  const Topology topology = read_topology_xml(folder + GetParam().file);
  EXPECT_FALSE(topology.this_machine);
  EXPECT_TRUE(std::is_sorted(topology.pus.begin(), topology.pus.end(),
                             [](const Pu& a, const Pu& b) { return a.os_index < b.os_index; }));
  int cores = 0;
  int pus = 0;
  for (const CoreKind& kind : topology.core_kinds) {
    cores += kind.cores;
    pus += kind.pus;
  }
  EXPECT_EQ(cores, topology.cores);
  EXPECT_EQ(pus, static_cast<int>(topology.pus.size()));
  for (size_t i = 0; i < topology.caches.size(); ++i) {
    int served = 0;
    for (const Pu& pu : topology.pus) {
      served += static_cast<int>(std::count(pu.caches.begin(), pu.caches.end(), static_cast<int>(i)));
    }
    const Cache& cache = topology.caches[i];
    EXPECT_EQ(served, cache.memory_side.empty() ? cache.shared_by_pus * cache.instances : 0) << i;
  }
  for (const Pu& pu : topology.pus) EXPECT_EQ(pu.llc < 0, last_level_cache(topology, pu.os_index) == nullptr);
}

INSTANTIATE_TEST_SUITE_P(topology, recorded_machine, testing::ValuesIn(expectations()));

TEST(topology, knows_what_the_cpu_calls_itself) {
  const Topology epyc = read_topology_xml(folder + "AMD-17h-Zen-2xEpyc-7451.xml");
  EXPECT_EQ(epyc.cpu_vendor, "AuthenticAMD");
  EXPECT_EQ(epyc.cpu_model, "AMD EPYC 7451 24-Core Processor");
  EXPECT_EQ(epyc.cpu_family, 23);
  EXPECT_EQ(epyc.cpu_model_number, 1);
  const Topology nameless = read_topology_xml(folder + "fakeheterocpunuma.xml");
  EXPECT_EQ(nameless.cpu_model, "");
  EXPECT_EQ(nameless.cpu_family, 0);
}

TEST(topology, there_are_expectations_for_every_recorded_machine) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") files.insert(entry.path().filename().string());
  }
  std::set<std::string> expected;
  for (const Expectation& expectation : expectations()) expected.insert(expectation.file);
  EXPECT_EQ(files, expected);
  EXPECT_GE(files.size(), 18u);
}

}  // namespace
}  // namespace harness
