#include "analysis/machine_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

using harness::Unavailable;

const std::string folder = "harness/testdata/topologies/";

std::string avx2(const std::vector<std::string>&) {
  return "avx2";
}

MachineFacts cpu(const std::string& name, const WhatIf& what_if = {}) {
  return facts_of_cpu(*find_cpus(name).at(0), avx2, what_if);
}

MachineFacts recorded(const std::string& file, const WhatIf& what_if = {}) {
  return facts_of_topology(harness::read_topology_xml(folder + file), avx2, what_if);
}

const LevelFacts& level(const CoreFacts& core, const std::string& name) {
  for (const LevelFacts& known : core.levels) {
    if (known.level == name) return known;
  }
  throw std::out_of_range(name);
}

Fact rate(const CoreFacts& core, const std::string& name) {
  return std::get<Fact>(level(core, name).read_bytes_per_s);
}

std::string why_no_rate(const CoreFacts& core, const std::string& name) {
  return std::get<Unavailable>(level(core, name).read_bytes_per_s).reason;
}

std::vector<std::string> level_names(const CoreFacts& core) {
  std::vector<std::string> names;
  for (const LevelFacts& known : core.levels) names.push_back(known.level);
  return names;
}

TEST(machine_facts, what_nobody_verified_is_twice_as_uncertain_on_logarithms) {
  const Fact sourced = fact_of({10, 1.2, {"somebody", ""}}, "rate");
  const Fact guessed = fact_of({10, 1.2, {"", "a guess"}}, "rate");
  EXPECT_DOUBLE_EQ(std::log(guessed.spread), 2 * std::log(sourced.spread));
  EXPECT_TRUE(sourced.verified);
  EXPECT_FALSE(guessed.verified);
  EXPECT_EQ(sourced.source, "rate, somebody");
  EXPECT_EQ(guessed.source, "rate, unverified: a guess");
  EXPECT_EQ(fact_of({10, 1.2, {"somebody", ""}}, "").source, "somebody");
}

TEST(machine_facts, every_fact_of_every_cpu_tells_its_source_or_that_it_is_unverified) {
  const auto check = [](const harness::Reading<Fact>& reading, const std::string& what) {
    const auto* fact = std::get_if<Fact>(&reading);
    if (fact == nullptr) return;
    EXPECT_EQ(fact->source.find("unverified: ") == std::string::npos, fact->verified) << what << fact->source;
    EXPECT_FALSE(fact->source.empty()) << what;
    if (fact->verified) {
      EXPECT_FALSE(references_in(fact->source).empty()) << what << fact->source;
    }
  };
  for (const Cpu& known : cpu_catalogue()) {
    for (const CoreFacts& core : facts_of_cpu(known, avx2, {}).kinds) {
      for (const LevelFacts& one : core.levels) {
        check(one.read_bytes_per_s, known.name + " " + one.level + " ");
        if (one.usable_bytes) check(*one.usable_bytes, known.name + " size of " + one.level + " ");
        if (one.reported_bytes > 0) {
          EXPECT_TRUE(one.size_source.starts_with("unverified: ") ||
                      references_in(one.size_source).size() == 1)
              << known.name << one.size_source;
        }
      }
      for (const auto* fact :
           {&core.clock_hz, &core.macs_per_s, &core.attention_macs_per_s, &core.values_per_s})
        check(*fact, known.name + " ");
      check(core.formula, known.name + " formula ");
    }
  }
}

TEST(machine_facts, what_a_document_says_of_its_last_cache_is_how_long_it_keeps_lines) {
  harness::Submission probed = test_submission();
  EXPECT_NE(std::get<Unavailable>(facts_of_submission(probed, avx2, {}).kinds[0].half_life)
                .reason.find("retention"),
            std::string::npos);
  const auto estimate = [](const char* cache, harness::Reading<harness::Interval> ns,
                           std::optional<double> longer) {
    harness::RetentionEstimate made;
    made.level = cache;
    made.half_life_ns = std::move(ns);
    made.longer_than_ns = longer;
    return made;
  };
  probed.derived.retention = {estimate("l2", harness::Interval{7, 6, 8}, std::nullopt),
                              estimate("l3", Unavailable{"not seen"}, 5e6)};
  const auto half_life = [&] {
    return std::get<HalfLife>(facts_of_submission(probed, avx2, {}).kinds[0].half_life);
  };
  EXPECT_EQ(half_life().level, "l3");
  EXPECT_EQ(half_life().ns, 5e6);
  EXPECT_TRUE(half_life().at_least);
  probed.derived.retention.push_back(estimate("l3", harness::Interval{6e6, 5e6, 7e6}, std::nullopt));
  EXPECT_EQ(half_life().ns, 6e6);
  EXPECT_FALSE(half_life().at_least);
}

TEST(machine_facts, spreads_of_a_product_add_as_a_root_of_squares_on_logarithms) {
  const Fact made = product({3, std::exp(0.3), "", true}, {4, std::exp(0.4), "", false}, "both");
  EXPECT_DOUBLE_EQ(made.value, 12);
  EXPECT_NEAR(std::log(made.spread), 0.5, 1e-12);
  EXPECT_FALSE(made.verified);
}

TEST(machine_facts, a_cpu_of_the_catalogue_reads_its_priors_at_its_boost_clock) {
  const CoreFacts core = cpu("EPYC 7742").kinds.at(0);
  const Microarchitecture& zen2 = *find_microarchitecture("zen2");
  EXPECT_EQ(level(core, "l3").reported_bytes, 16 << 20);
  EXPECT_DOUBLE_EQ(rate(core, "l3").value, zen2.bytes_per_cycle.at("l3").value * 3.4e9);
  EXPECT_LT(level(core, "l3").usable_bytes->value, 16 << 20);
  EXPECT_EQ(level_names(core), (std::vector<std::string>{"l1", "l2", "l3", "dram"}));
}

TEST(machine_facts, memory_is_as_fast_as_a_core_asks_or_as_its_channels_give) {
  const Microarchitecture& zen2 = *find_microarchitecture("zen2");
  EXPECT_DOUBLE_EQ(rate(cpu("EPYC 7742").kinds[0], "dram").value, zen2.dram_bytes_per_s.value);
  const Cpu& n100 = *find_cpus("N100").at(0);
  Cpu starved = n100;
  starved.memory.slowest_transfers_per_s = starved.memory.fastest_transfers_per_s = 1e9;
  const Fact fed = std::get<Fact>(facts_of_cpu(starved, avx2, {}).kinds[0].levels.back().read_bytes_per_s);
  EXPECT_DOUBLE_EQ(fed.value, 8e9 * shared_priors().dram_peak_fraction.value);
}

TEST(machine_facts, vector_units_narrower_than_a_kernels_vectors_take_more_cycles) {
  const auto per_cycle = [](const char* name) {
    const CoreFacts core = cpu(name).kinds.at(0);
    return std::get<Fact>(core.macs_per_s).value / std::get<Fact>(core.clock_hz).value;
  };
  EXPECT_DOUBLE_EQ(per_cycle("Ryzen 5 3600"), shared_priors().macs_per_cycle.at("avx2").value);
  EXPECT_DOUBLE_EQ(per_cycle("Ryzen 7 1700X"), shared_priors().macs_per_cycle.at("avx2").value / 2);
}

TEST(machine_facts, what_the_user_gives_replaces_facts_and_has_no_spread) {
  WhatIf what_if;
  what_if.levels = {{"dram", {std::nullopt, 60e9}}, {"l3", {int64_t{96} << 20, std::nullopt}}};
  const CoreFacts core = cpu("Ryzen 7 5800X", what_if).kinds.at(0);
  EXPECT_DOUBLE_EQ(rate(core, "dram").value, 60e9);
  EXPECT_DOUBLE_EQ(rate(core, "dram").spread, 1);
  EXPECT_EQ(level(core, "l3").reported_bytes, 96 << 20);
  EXPECT_GT(level(core, "l3").usable_bytes->value, 64 << 20);
  EXPECT_DOUBLE_EQ(rate(core, "l3").value, rate(cpu("Ryzen 7 5800X").kinds[0], "l3").value);
}

TEST(machine_facts, a_level_that_a_cpu_lacks_can_be_given) {
  WhatIf what_if;
  what_if.levels = {{"l3", {int64_t{8} << 20, 20e9}}};
  EXPECT_EQ(level_names(cpu("J4125").kinds[0]), (std::vector<std::string>{"l1", "l2", "dram"}));
  const CoreFacts core = cpu("J4125", what_if).kinds.at(0);
  EXPECT_EQ(level_names(core), (std::vector<std::string>{"l1", "l2", "l3", "dram"}));
  EXPECT_DOUBLE_EQ(rate(core, "l3").value, 20e9);
}

TEST(machine_facts, another_clock_makes_caches_and_arithmetic_as_much_faster) {
  WhatIf what_if;
  what_if.clock_hz = 1.7e9;
  const CoreFacts slow = cpu("EPYC 7742", what_if).kinds.at(0), fast = cpu("EPYC 7742").kinds.at(0);
  EXPECT_NEAR(rate(fast, "l2").value / rate(slow, "l2").value, 2, 1e-9);
  EXPECT_NEAR(std::get<Fact>(fast.macs_per_s).value / std::get<Fact>(slow.macs_per_s).value, 2, 1e-9);
  EXPECT_DOUBLE_EQ(rate(fast, "dram").value, rate(slow, "dram").value);
  EXPECT_LT(rate(slow, "l2").spread, rate(fast, "l2").spread);
}

TEST(machine_facts, a_recorded_machine_takes_sizes_from_the_recording_and_speeds_from_the_catalogue) {
  const MachineFacts epyc = recorded("AMD-17h-Zen-2xEpyc-7451.xml");
  EXPECT_EQ(level(epyc.kinds.at(0), "l3").reported_bytes, 8 << 20);
  EXPECT_DOUBLE_EQ(rate(epyc.kinds[0], "l3").value, rate(cpu("EPYC 7451").kinds[0], "l3").value);
  // In cluster-on-die mode each half of the package has its own L3.
  EXPECT_EQ(level(recorded("Intel-Haswell-2xXeon-E5-2680v3.xml").kinds.at(0), "l3").reported_bytes, 15 << 20);
}

TEST(machine_facts, each_kind_of_a_hybrid_has_its_own_caches_and_speeds) {
  const MachineFacts hybrid = recorded("Intel-RaptorLake-Corei7-1370P.xml");
  ASSERT_EQ(hybrid.kinds.size(), 2u);
  EXPECT_EQ(hybrid.kinds[0].core_kind, "performance");
  EXPECT_EQ(hybrid.kinds[0].microarchitecture, "raptor_cove");
  EXPECT_EQ(level(hybrid.kinds[0], "l2").reported_bytes, 1310720);
  EXPECT_EQ(hybrid.kinds[1].microarchitecture, "gracemont");
  EXPECT_EQ(level(hybrid.kinds[1], "l2").reported_bytes, 2097152);
  EXPECT_GT(rate(hybrid.kinds[0], "l1").value, rate(hybrid.kinds[1], "l1").value);
  const MachineFacts strix = recorded("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml");
  EXPECT_EQ(level(strix.kinds.at(0), "l3").reported_bytes, 16 << 20);
  EXPECT_EQ(level(strix.kinds.at(1), "l3").reported_bytes, 8 << 20);
}

TEST(machine_facts, a_recorded_machine_that_nobody_knows_has_sizes_and_no_speeds) {
  const CoreFacts core = recorded("Intel-Penryn-4xXeon-X7460.xml").kinds.at(0);
  EXPECT_EQ(level(core, "l3").reported_bytes, 16 << 20);
  EXPECT_NE(why_no_rate(core, "l3").find("nobody has told what a core of intel xeon x7460 reads"),
            std::string::npos)
      << why_no_rate(core, "l3");
  EXPECT_EQ(why_no_rate(core, "dram"), why_no_rate(core, "l3"));
}

TEST(machine_facts, a_core_known_by_cpuid_alone_lacks_only_its_clock) {
  const CoreFacts core = recorded("Hygon-Dhyana-32cores.xml").kinds.at(0);
  EXPECT_EQ(why_no_rate(core, "l3"), "its clock is not known; give one: --what-if clock=3GHz");
  EXPECT_GT(rate(core, "dram").value, 0);
  WhatIf what_if;
  what_if.clock_hz = 2e9;
  EXPECT_GT(rate(recorded("Hygon-Dhyana-32cores.xml", what_if).kinds.at(0), "l3").value, 0);
}

TEST(machine_facts, those_of_a_document_are_what_its_probes_measured) {
  const harness::Submission probed = test_submission();
  const MachineFacts machine = facts_of_submission(probed, avx2, {});
  ASSERT_EQ(machine.kinds.size(), 1u);
  EXPECT_NEAR(rate(machine.kinds[0], "l2").value, 100e9, 1e6);
  EXPECT_NEAR(rate(machine.kinds[0], "l3").value, 40e9, 1e6);
  EXPECT_NEAR(rate(machine.kinds[0], "dram").value, 10e9, 1e6);
  EXPECT_EQ(rate(machine.kinds[0], "dram").source, "measured: dram_stream");
}

TEST(machine_facts, a_document_without_a_probe_says_so) {
  harness::Submission probed = test_submission();
  probed.launches[0].series.clear();
  const MachineFacts machine = facts_of_submission(probed, avx2, {});
  EXPECT_EQ(why_no_rate(machine.kinds[0], "l3"), "load_bandwidth has not run");
  EXPECT_EQ(why_no_rate(machine.kinds[0], "dram"), "dram_stream has not run");
  EXPECT_TRUE(std::holds_alternative<Unavailable>(machine.kinds[0].macs_per_s));
}

}  // namespace
}  // namespace analysis
