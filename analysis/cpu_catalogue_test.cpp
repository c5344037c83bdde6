#include "analysis/cpu_catalogue.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/microarchitectures.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

using nlohmann::json;

const Cpu& cpu(const std::string& name) {
  const auto found = find_cpus(name);
  if (found.size() != 1) throw std::out_of_range(name);
  return *found.front();
}

/// {bytes, instances} of a level of the first kind.
std::pair<int64_t, int> cache(const std::string& name, const std::string& level) {
  for (const CpuCache& known : cpu(name).kinds.front().caches) {
    if (known.level == level) return {known.bytes, known.instances};
  }
  return {0, 0};
}

std::vector<std::string> names(const std::vector<const Cpu*>& cpus) {
  std::vector<std::string> found;
  for (const Cpu* one : cpus) found.push_back(one->name);
  return found;
}

/// Calls back for every object of a document, with its place.
void visit(const json& value, const std::string& where,
           const std::function<void(const json&, const std::string&)>& visitor) {
  if (value.is_object()) visitor(value, where);
  if (!value.is_structured()) return;
  for (const auto& [key, part] : value.items())
    visit(part, std::string(where).append("/").append(key), visitor);
}

/// What an object must hold to be a fact that has to tell where it is from.
bool is_fact(const json& value) {
  for (const char* member :
       {"spread", "cycles", "ns", "bytes", "transfers_per_s", "base_hz", "boost_hz", "why"}) {
    if (value.contains(member)) return true;
  }
  return false;
}

std::vector<std::string> faults_of(const json& document) {
  std::vector<std::string> faults;
  std::set<std::string> used;
  const json& sources = document.at("sources");
  visit(document, "", [&](const json& value, const std::string& where) {
    const bool sourced = value.contains("source") && value.at("source").is_string();
    if (is_fact(value) && sourced == value.contains("unverified"))
      faults.push_back(where + ": source or unverified");
    if (!sourced) return;
    used.insert(value.at("source"));
    if (!sources.contains(value.at("source").get<std::string>()))
      faults.push_back(where + ": unknown source");
  });
  const std::string text = document.dump();
  for (const auto& [key, source] : sources.items()) {
    // A reason or a note may name a source that holds for a neighbour.
    const bool named = text.find(key) != text.rfind(key);
    if (used.count(key) == 0 && !named) faults.push_back("/sources/" + key + ": never used");
  }
  return faults;
}

TEST(cpu_catalogue, both_files_meet_their_schemas) {
  for (const std::string kind : {"cpus", "microarchitectures"}) {
    for (const auto& violation : harness::validate_document(catalogue_text(kind), kind))
      ADD_FAILURE() << kind << violation.pointer << ": " << violation.value << ", expected "
                    << violation.expected;
  }
}

TEST(cpu_catalogue, every_fact_has_a_source_that_is_listed_or_says_that_nobody_checked_it) {
  for (const std::string kind : {"cpus", "microarchitectures"}) {
    const json document = json::parse(catalogue_text(kind));
    for (const std::string& fault : faults_of(document)) ADD_FAILURE() << kind << fault;
    ASSERT_FALSE(faults_of(json{{"sources", {{"a", 1}}}, {"x", {{"bytes", 1}}}}).empty());
    ASSERT_FALSE(faults_of(json{{"sources", json::object()}, {"x", {{"ns", 1}, {"source", "b"}}}}).empty());
  }
}

TEST(cpu_catalogue, names_are_unique_and_find_themselves) {
  std::set<std::string> seen;
  for (const Cpu& known : cpu_catalogue()) {
    EXPECT_TRUE(seen.insert(plain_cpu_name(known.name)).second) << known.name;
    EXPECT_EQ(names(find_cpus(known.name)), std::vector<std::string>{known.name});
  }
  EXPECT_GE(seen.size(), 124u);
}

TEST(cpu_catalogue, kinds_add_up_to_the_cpu_and_know_their_microarchitecture) {
  for (const Cpu& known : cpu_catalogue()) {
    int cores = 0, threads = 0;
    for (const CpuKind& kind : known.kinds) {
      cores += kind.cores;
      threads += kind.threads;
      const Microarchitecture* core = find_microarchitecture(kind.microarchitecture);
      ASSERT_NE(core, nullptr) << known.name;
      EXPECT_GT(kind.base_hz + kind.boost_hz, 0) << known.name;
      if (kind.base_hz > 0 && kind.boost_hz > 0) {
        EXPECT_LE(kind.base_hz, kind.boost_hz) << known.name;
      }
      int64_t previous = 0;
      for (const CpuCache& one : kind.caches) {
        EXPECT_GT(one.bytes, previous) << known.name << " " << one.level;
        EXPECT_LE(one.instances, kind.cores) << known.name << " " << one.level;
        EXPECT_EQ(core->bytes_per_cycle.count(one.level), 1u) << known.name << " " << one.level;
        previous = one.bytes;
      }
    }
    EXPECT_EQ(cores, known.cores) << known.name;
    EXPECT_EQ(threads, known.threads) << known.name;
    EXPECT_LE(known.memory.slowest_transfers_per_s, known.memory.fastest_transfers_per_s) << known.name;
  }
}

TEST(cpu_catalogue, caches_are_per_instance) {
  constexpr int64_t mib = int64_t{1} << 20;
  EXPECT_EQ(cache("AMD EPYC 7742", "l3"), std::make_pair(16 * mib, 16));
  EXPECT_EQ(cache("AMD Ryzen 9 3950X", "l3"), std::make_pair(16 * mib, 4));
  EXPECT_EQ(cache("AMD Ryzen 7 1700X", "l3"), std::make_pair(8 * mib, 2));
  EXPECT_EQ(cache("AMD Ryzen 7 4800H", "l3"), std::make_pair(4 * mib, 2));
  EXPECT_EQ(cache("AMD Ryzen 7 5800X3D", "l3"), std::make_pair(96 * mib, 1));
  EXPECT_EQ(cache("AMD FX-8350", "l2"), std::make_pair(2 * mib, 4));
  EXPECT_EQ(cache("Intel Xeon Phi 7210", "l3"), std::make_pair(int64_t{0}, 0));
  EXPECT_EQ(cache("Intel Xeon Phi 7210", "l2"), std::make_pair(mib, 32));
  EXPECT_EQ(cache("Intel Celeron J4125", "l3"), std::make_pair(int64_t{0}, 0));
}

TEST(cpu_catalogue, finds_names_as_people_and_systems_write_them) {
  EXPECT_EQ(cpu("ryzen 5 3400g").name, "AMD Ryzen 5 3400G");
  EXPECT_EQ(cpu("3400G").name, "AMD Ryzen 5 3400G");
  EXPECT_EQ(cpu("AMD Ryzen 5 3400G with Radeon Vega Graphics").name, "AMD Ryzen 5 3400G");
  EXPECT_EQ(cpu("AMD EPYC 7451 24-Core Processor                ").name, "AMD EPYC 7451");
  EXPECT_EQ(cpu("Intel(R) Xeon(R) Gold 6140 CPU @ 2.30GHz").name, "Intel Xeon Gold 6140");
  EXPECT_EQ(cpu("Intel (R) Xeon (R) CPU Max 9460").name, "Intel Xeon Max 9460");
  EXPECT_EQ(cpu("13th Gen Intel(R) Core(TM) i7-1370P").name, "Intel Core i7-1370P");
  EXPECT_EQ(cpu("AMD Ryzen AI 9 HX 370 w/ Radeon 890M").name, "AMD Ryzen AI 9 HX 370");
}

TEST(cpu_catalogue, a_name_that_several_have_finds_them_all_and_a_whole_name_only_itself) {
  EXPECT_GT(find_cpus("ryzen 5").size(), 5u);
  EXPECT_EQ(names(find_cpus("AMD Ryzen 9 7950X")), std::vector<std::string>{"AMD Ryzen 9 7950X"});
  EXPECT_TRUE(find_cpus("").empty());
  EXPECT_TRUE(find_cpus("Ryzen 5 3400H").empty());
}

TEST(cpu_catalogue, a_wrong_name_gets_its_neighbours) {
  const auto near = [](const std::string& name) { return nearest_cpus(name, 3); };
  EXPECT_EQ(near("Ryzen 5 3400H").front(), "AMD Ryzen 5 3400G");
  EXPECT_EQ(near("i7-12700").front(), "Intel Core i7-12700K");
  EXPECT_LE(near("Ryzen 5 3400H").size(), 3u);
  EXPECT_TRUE(near("zzzzzzzzzzzzzzzzzzzzzzzzzz").empty());
}

TEST(microarchitectures, cpuid_means_one_of_them) {
  const auto name = [](const char* vendor, int family, int model) {
    const Microarchitecture* found = find_microarchitecture(vendor, family, model);
    return found == nullptr ? "" : found->name;
  };
  EXPECT_EQ(name("AuthenticAMD", 23, 24), "zen_plus");
  EXPECT_EQ(name("AuthenticAMD", 26, 2), "zen5");
  EXPECT_EQ(name("GenuineIntel", 6, 207), "emerald_rapids");
  EXPECT_EQ(name("HygonGenuine", 24, 0), "zen_epyc");
  EXPECT_EQ(name("CentaurHauls", 6, 31), "");
  std::set<std::string> seen;
  for (const Microarchitecture& known : microarchitectures()) {
    for (const CpuidMatch& match : known.cpuid) {
      for (const int model : match.models)
        EXPECT_TRUE(
            seen.insert(match.vendor + std::to_string(match.family) + "/" + std::to_string(model)).second)
            << known.name << " " << model;
    }
  }
}

TEST(microarchitectures, rates_fall_from_level_to_level) {
  for (const Microarchitecture& known : microarchitectures()) {
    double above = 1e9;
    for (const auto& [level, prior] : known.bytes_per_cycle) {
      EXPECT_LE(prior.value, above * 1.01) << known.name << " " << level;
      EXPECT_GE(prior.spread, 1) << known.name;
      above = prior.value;
    }
    EXPECT_LT(known.dram_bytes_per_s.value, above * 5e9) << known.name;
  }
}

}  // namespace
}  // namespace analysis
