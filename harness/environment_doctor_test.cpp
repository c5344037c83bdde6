#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "harness/environment.hpp"
#include "harness/fake_clock.hpp"

namespace harness {
namespace {

const std::string desktop = "harness/testdata/sysfs/desktop";
const std::string guest = "harness/testdata/sysfs/crowded_guest";
const std::string nothing = "harness/testdata/sysfs/nothing_here";

CpuFeatures features_with_flush() {
  CpuFeatures features;
  features.arch = "x86_64";
  features.clflush = features.clflushopt = true;
  return features;
}

CounterSupport all_counters() {
  return {std::vector<std::string>{"PAPI_TOT_CYC", "PAPI_TOT_INS"}, std::string("available"), "7.0.0"};
}

CounterSupport no_counters(const std::string& reason) {
  return {Unavailable{reason}, Unavailable{reason}, "7.0.0"};
}

Clock fine_clock(FakeClock& fake) {
  fake.per_read_ns = 20;
  return fake.clock();
}

DoctorLine line(const std::vector<DoctorLine>& lines, const std::string& code) {
  for (const DoctorLine& candidate : lines) {
    if (candidate.code == code) return candidate;
  }
  ADD_FAILURE() << "no line " << code;
  return {};
}

Topology two_cores() {
  return read_synthetic_topology("pack:1 l3:1 l2:2 l1d:1 core:1 pu:1");
}

std::vector<DoctorLine> examine_tree(const std::string& root, const Topology& topology = two_cores(),
                                     const CounterSupport& counters = all_counters()) {
  FakeClock fake;
  return examine(topology, features_with_flush(), counters, fine_clock(fake), root);
}

TEST(doctor, every_code_has_its_heading_in_the_docs_and_the_other_way_round) {
  std::ifstream file("docs/doctor.md");
  std::vector<std::string> headings;
  for (std::string text; std::getline(file, text);) {
    if (text.rfind("## ", 0) == 0) headings.push_back(text.substr(3));
  }
  std::vector<std::string> codes;
  for (const DoctorLine& entry : examine_tree(desktop)) codes.push_back(entry.code);
  EXPECT_EQ(codes, headings);
}

TEST(doctor, a_remedy_stands_where_something_is_wrong_and_only_there) {
  for (const std::string& root : {desktop, guest, nothing}) {
    for (const DoctorLine& entry : examine_tree(root, two_cores(), no_counters("no PMU driver"))) {
      EXPECT_FALSE(entry.finding.empty()) << entry.code;
      EXPECT_EQ(entry.remedy.empty(), entry.readiness == Readiness::good) << entry.code << " in " << root;
      EXPECT_EQ((entry.finding + entry.remedy).find('\n'), std::string::npos) << entry.code;
    }
  }
}

TEST(doctor, a_quiet_desktop_is_ready) {
  const auto lines = examine_tree(desktop);
  for (const char* code : {"turbo", "smt", "autogroup", "neighbours", "pmu", "sde", "clock", "flush"}) {
    EXPECT_EQ(line(lines, code).readiness, Readiness::good) << code << ": " << line(lines, code).finding;
  }
  EXPECT_EQ(line(lines, "governor").readiness, Readiness::warning) << "PU 1, the last one, runs powersave";
  EXPECT_NE(line(lines, "governor").finding.find("powersave"), std::string::npos);
}

TEST(doctor, a_crowded_guest_is_not) {
  const auto lines = examine_tree(guest);
  for (const char* code : {"governor", "turbo", "huge_pages", "autogroup", "neighbours"}) {
    EXPECT_EQ(line(lines, code).readiness, Readiness::warning) << code << ": " << line(lines, code).finding;
  }
  EXPECT_EQ(line(lines, "neighbours").finding,
            "8.0 % of the CPU time was stolen since boot, tasks waited for a CPU in 62 % of the last 10 s, "
            "load 3.70 on 2 "
            "PUs");
  EXPECT_NE(line(lines, "turbo").remedy.find("cpufreq/boost"), std::string::npos);
  EXPECT_NE(line(lines, "clock").finding.find("hpet"), std::string::npos);
}

TEST(doctor, a_foreign_topology_cannot_be_pinned_on) {
  const DoctorLine pinning = line(examine_tree(desktop), "pinning");
  EXPECT_EQ(pinning.readiness, Readiness::bad);
  EXPECT_NE(pinning.finding.find("not this machine"), std::string::npos);
}

TEST(doctor, a_machine_that_allows_no_pu_is_told_so) {
  Topology topology = two_cores();
  for (Pu& pu : topology.pus) pu.allowed = false;
  const auto lines = examine_tree(desktop, topology);
  EXPECT_EQ(line(lines, "pinning").readiness, Readiness::bad);
  EXPECT_EQ(line(lines, "smt").readiness, Readiness::warning);
}

TEST(doctor, siblings_are_named) {
  const auto lines = examine_tree(desktop, read_synthetic_topology("pack:1 l2:1 l1d:1 core:2 pu:2"));
  EXPECT_EQ(line(lines, "smt").readiness, Readiness::warning);
  EXPECT_EQ(line(lines, "smt").finding, "PU 3 shares its core and its L1 with PU 2");
}

TEST(doctor, the_remedy_for_counters_depends_on_why_there_are_none) {
  const auto paranoid = examine_tree(desktop, two_cores(), no_counters("perf_event_paranoid is 4"));
  EXPECT_NE(line(paranoid, "pmu").remedy.find("sysctl"), std::string::npos);
  const auto bare = examine_tree(desktop, two_cores(), no_counters("no PMU driver"));
  EXPECT_NE(line(bare, "pmu").remedy.find("CONFIG_PERF_EVENTS"), std::string::npos);
  EXPECT_EQ(line(bare, "sde").readiness, Readiness::bad);
}

TEST(doctor, a_coarse_or_standing_clock_is_bad) {
  FakeClock coarse;
  coarse.per_read_ns = 20;
  coarse.tick_ns = 4'000'000;
  const auto lines = examine(two_cores(), features_with_flush(), all_counters(), coarse.clock(), desktop);
  EXPECT_EQ(line(lines, "clock").readiness, Readiness::bad);
  FakeClock still;
  const auto stopped = examine(two_cores(), features_with_flush(), all_counters(), still.clock(), desktop);
  EXPECT_EQ(line(stopped, "clock").readiness, Readiness::bad);
}

TEST(doctor, a_cpu_without_flush_is_told_what_else_to_use) {
  FakeClock fake;
  CpuFeatures arm;
  arm.arch = "aarch64";
  const auto lines = examine(two_cores(), arm, all_counters(), fine_clock(fake), desktop);
  EXPECT_EQ(line(lines, "flush").readiness, Readiness::warning);
  EXPECT_NE(line(lines, "flush").remedy.find("evict_read"), std::string::npos);
}

TEST(doctor, this_machine_can_be_examined) {
  const auto lines =
      examine(read_host_topology(), read_cpu_features(), read_counter_support(), steady_clock());
  EXPECT_EQ(lines.size(), 11u);
  EXPECT_EQ(line(lines, "pinning").readiness, Readiness::good);
  EXPECT_EQ(line(lines, "sde").readiness, Readiness::good);
}

}  // namespace
}  // namespace harness
