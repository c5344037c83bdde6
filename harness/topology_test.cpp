#include "harness/topology.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/error.hpp"

namespace harness {
namespace {

const std::string folder = "harness/testdata/topologies/";

Topology recorded(const std::string& name) {
  return read_topology_xml(folder + name + ".xml");
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writes a text to a file of its own and removes it at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    path_ =
        (std::filesystem::temp_directory_path() / fmt::format("tokroof_topology_{}.xml", getpid())).string();
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(topology, caches_stand_by_level_and_data_before_instruction) {
  const Topology topology = recorded("Intel-Skylake-2xXeon6140");
  std::vector<std::string> order;
  for (const Cache& cache : topology.caches) order.push_back(fmt::format("L{} {}", cache.level, cache.type));
  EXPECT_EQ(order, (std::vector<std::string>{"L1 data", "L1 instruction", "L2 unified", "L3 unified"}));
}

TEST(topology, hybrid_cores_see_their_own_caches) {
  const Topology topology = recorded("Intel-RaptorLake-Corei7-1370P");  // PUs 0-11 are P, 12-19 E
  ASSERT_EQ(topology.core_kinds.size(), 2u);
  EXPECT_EQ(topology.core_kinds[0].name, "performance");
  EXPECT_EQ(topology.core_kinds[1].name, "efficiency");
  EXPECT_EQ(find_cache(topology, 1, 0)->bytes, 48u << 10);
  EXPECT_EQ(find_cache(topology, 1, 12)->bytes, 32u << 10);
  EXPECT_EQ(find_cache(topology, 2, 12)->bytes, 2u << 20);
  EXPECT_EQ(find_cache(topology, 1)->bytes, 48u << 10) << "without a PU the first kind answers";
  EXPECT_EQ(find_cache(topology, 4), nullptr);
  EXPECT_EQ(find_cache(topology, 1, 99), nullptr);
}

TEST(topology, dense_and_classic_cores_have_different_last_levels) {
  const Topology topology = recorded("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370");
  EXPECT_EQ(last_level_cache(topology)->bytes, 16u << 20);
  EXPECT_EQ(last_level_cache(topology, 0)->bytes, 16u << 20);
  EXPECT_EQ(last_level_cache(topology, 4)->bytes, 8u << 20);
  EXPECT_EQ(topology.core_kinds[0].name, "performance");
}

TEST(topology, kinds_without_a_vendor_word_are_named_by_rank) {
  const Topology topology = recorded("nvidia-dgx-gb10");
  EXPECT_EQ(topology.core_kinds[0].name, "performance");
  EXPECT_EQ(topology.pus[5].core_kind, 0) << "cpuset 0x000f83e0 is the stronger kind";
  EXPECT_EQ(topology.pus[0].core_kind, 1);
}

TEST(topology, kinds_that_hwloc_cannot_rank_are_told_apart_all_the_same) {
  const Topology topology = recorded("fakeheterocpunuma");  // efficiency -1 for all three
  ASSERT_EQ(topology.core_kinds.size(), 3u);
  EXPECT_EQ(topology.core_kinds[0].name, "kind_0");
  EXPECT_EQ(topology.core_kinds[2].name, "kind_2");
  EXPECT_EQ(topology.pus[0].core_kind, 0);
  EXPECT_EQ(topology.pus[8].core_kind, 1);
  EXPECT_EQ(topology.pus[23].core_kind, 2);
}

TEST(topology, pus_outside_every_kind_are_of_another_kind) {
  const TemporaryFile file(with(text_of(folder + "Intel-RaptorLake-Corei7-1370P.xml"),
                                "<cpukind cpuset=\"0x000ff000\"", "<cpukind cpuset=\"0x00007000\""));
  const Topology topology = read_topology_xml(file.path());
  ASSERT_EQ(topology.core_kinds.size(), 3u);
  EXPECT_EQ(topology.core_kinds[2].name, "other");
  EXPECT_EQ(topology.core_kinds[2].pus, 5);
}

TEST(topology, a_machine_without_an_l3_ends_with_its_l2) {
  const Topology topology = recorded("Intel-KnightsLanding-XeonPhi-7210");
  EXPECT_EQ(find_cache(topology, 3), nullptr);
  EXPECT_EQ(last_level_cache(topology)->level, 2);
  EXPECT_EQ(topology.pus.back().llc, 31);
}

TEST(topology, a_machine_without_caches_says_so) {
  const Topology topology = recorded("fakeheterocpunuma");
  EXPECT_TRUE(topology.caches.empty());
  EXPECT_EQ(last_level_cache(topology), nullptr);
  EXPECT_EQ(topology.pus.front().llc, -1);
  EXPECT_EQ(neighbour_pu(topology, 0, "same_llc"), -1);
  EXPECT_EQ(neighbour_pu(topology, 0, "other_llc"), -1);
  EXPECT_EQ(neighbour_pu(topology, 0, "sibling"), 1) << "siblings are known all the same";
}

TEST(topology, a_memory_side_cache_is_no_cpu_cache) {
  const Topology topology = recorded("memory-side-cache");
  EXPECT_EQ(topology.caches.back().memory_side, "memory_side");
  EXPECT_EQ(last_level_cache(topology)->level, 2);
  EXPECT_EQ(find_cache(topology, 1)->bytes, 32u << 10);
}

TEST(topology, forbidden_pus_are_part_of_the_machine_but_not_allowed) {
  const Topology topology = recorded("disallowed-half");
  EXPECT_EQ(topology.pus.size(), 4u);
  EXPECT_EQ(allowed_pus(topology), (std::vector<int>{2, 3}));
  EXPECT_EQ(neighbour_pu(topology, 2, "same_llc"), 3);
  EXPECT_EQ(neighbour_pu(topology, 2, "other_llc"), -1) << "PUs 0 and 1 are forbidden";
}

TEST(topology, offline_pus_are_absent) {
  const Topology topology = recorded("16em64t-4s2c2t-offlines-xml");  // cpuset 0x9fdb
  std::vector<int> online;
  for (const Pu& pu : topology.pus) online.push_back(pu.os_index);
  EXPECT_EQ(online, (std::vector<int>{0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 15}));
}

TEST(topology, neighbours_stand_where_they_are_asked_for) {
  const Topology topology =
      recorded("AMD-17h-Zen-2xEpyc-7451");  // PU 48 is the sibling of PU 0; L3 per 3 cores
  EXPECT_EQ(neighbour_pu(topology, 0, "sibling"), 48);
  const int same = neighbour_pu(topology, 0, "same_llc");
  const int other = neighbour_pu(topology, 0, "other_llc");
  const auto llc = [&topology](int pu) { return topology.pus[static_cast<size_t>(pu)].llc; };
  EXPECT_NE(same, 48) << "another core";
  EXPECT_EQ(llc(same), llc(0));
  EXPECT_NE(llc(other), llc(0));
  EXPECT_EQ(neighbour_pu(topology, 0, "anywhere"), -1);
  EXPECT_EQ(neighbour_pu(topology, 9999, "sibling"), -1);
}

TEST(topology, a_neighbour_of_the_same_kind_comes_first) {
  const Topology topology = recorded("Intel-RaptorLake-Corei7-1370P");
  const int neighbour = neighbour_pu(topology, 19, "same_llc");
  EXPECT_EQ(topology.pus[static_cast<size_t>(neighbour)].core_kind, topology.pus[19].core_kind);
}

TEST(topology, a_cache_size_of_zero_stays_unknown) {
  const TemporaryFile file(
      with(text_of(folder + "2i386-2t-hugepagesizecount.xml"), "cache_size=\"2097152\"", "cache_size=\"0\""));
  EXPECT_EQ(find_cache(read_topology_xml(file.path()), 2)->bytes, 0u);
}

TEST(topology, a_cache_size_of_minus_one_becomes_unknown) {
  const TemporaryFile file(with(text_of(folder + "2i386-2t-hugepagesizecount.xml"), "cache_size=\"2097152\"",
                                "cache_size=\"18446744073709551615\""));
  EXPECT_EQ(find_cache(read_topology_xml(file.path()), 2)->bytes, 0u);
}

TEST(topology, a_thousand_and_more_pus_are_no_trouble) {
  const Topology topology = read_synthetic_topology("pack:8 l3:4 l2:16 l1d:1 core:1 pu:4");
  EXPECT_EQ(topology.pus.size(), 2048u);
  EXPECT_EQ(topology.cores, 512);
  EXPECT_EQ(find_cache(topology, 3)->shared_by_pus, 64);
  EXPECT_EQ(topology.pus.back().llc, 31);
}

void expect_invalid(const std::string& path) {
  testing::internal::CaptureStderr();
  try {
    read_topology_xml(path);
    ADD_FAILURE() << path << " was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "libraries print nothing";
}

TEST(topology, a_file_that_is_no_topology_is_an_error_of_one_line) {
  expect_invalid("no/such/file.xml");
  expect_invalid("harness/testdata");
  expect_invalid("harness/topology.hpp");
  for (const std::string text :
       {"", "<topology>", "<?xml version=\"1.0\"?><topology version=\"2.0\"></topology>",
        "<?xml version=\"1.0\"?><html/>"}) {
    const TemporaryFile file(text);
    expect_invalid(file.path());
  }
}

TEST(topology, a_truncated_recording_is_an_error_wherever_it_ends) {
  const std::string text = text_of(folder + "2i386-2t-hugepagesizecount.xml");
  for (size_t bytes = 0; bytes + 12 < text.size(); bytes += 97) {
    const TemporaryFile file(text.substr(0, bytes));
    expect_invalid(file.path());
  }
}

TEST(topology, a_recording_on_which_hwloc_crashes_is_an_error_too) {
  std::string text = text_of(folder + "2i386-2t-hugepagesizecount.xml");
  text = with(text, "cpuset=\"0x00000001\" complete_cpuset=", "cpuset=\"0x00000001\" misspelt=");
  const TemporaryFile file(text);
  expect_invalid(file.path());
}

TEST(topology, a_bad_synthetic_description_is_an_error) {
  for (const char* description : {"", "foo", "core:0", "pack:2 core:two"}) {
    EXPECT_THROW(read_synthetic_topology(description), Error) << description;
  }
}

TEST(topology, the_host_is_this_machine_and_allows_what_the_scheduler_allows) {
  const Topology topology = read_host_topology();
  EXPECT_TRUE(topology.this_machine);
  EXPECT_EQ(topology.source, "host");
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  const std::vector<int> allowed = allowed_pus(topology);
  EXPECT_FALSE(allowed.empty());
  for (int pu : allowed) EXPECT_TRUE(CPU_ISSET(pu, &mask));
  EXPECT_GT(topology.memory_bytes, 0u);
}

TEST(topology, a_recording_in_place_of_the_host_is_not_this_machine) {
  setenv("HWLOC_XMLFILE", (folder + "2i386-2t-hugepagesizecount.xml").c_str(), 1);
  const Topology topology = read_host_topology();
  unsetenv("HWLOC_XMLFILE");
  EXPECT_FALSE(topology.this_machine);
}

}  // namespace
}  // namespace harness
