#include "analysis/claim_predicate.hpp"

#include <gtest/gtest.h>

#include "analysis/test_submission.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

TEST(claim_predicate, machines_are_chosen_by_their_facts) {
  harness::Machine machine = test_submission().machine;
  machine.arch = "x86_64";
  EXPECT_EQ(holds(parse_population("l3_bytes >= 33554432"), machine), true);
  EXPECT_EQ(holds(parse_population("l3_bytes > 33554432"), machine), false);
  EXPECT_EQ(holds(parse_population("arch == x86_64"), machine), true);
  EXPECT_EQ(holds(parse_population("arch != x86_64"), machine), false);
  machine.caches.clear();
  EXPECT_EQ(holds(parse_population("l3_bytes < 1"), machine), true);
}

TEST(claim_predicate, what_the_system_does_not_say_holds_neither_way) {
  harness::Conditions conditions;
  conditions.steal_ratio = 0.1;
  EXPECT_EQ(holds(parse_exclusion("steal_ratio > 0.05"), conditions), true);
  EXPECT_EQ(holds(parse_exclusion("steal_ratio <= 0.05"), conditions), false);
  conditions.steal_ratio = harness::Unavailable{"no /proc"};
  EXPECT_EQ(holds(parse_exclusion("steal_ratio > 0.05"), conditions), std::nullopt);
}

TEST(claim_predicate, no_outcome_can_exclude) {
  for (const char* text : {"tokens_per_s > 1", "roof_fraction > 1", "arch == x86_64"})
    EXPECT_THROW(parse_exclusion(text), harness::Error) << text;
}

TEST(claim_predicate, fields_that_no_machine_has_together_are_refused) {
  const auto fault = [](const std::vector<std::string>& texts) {
    return !fault_of_population(texts).empty();
  };
  EXPECT_TRUE(fault({"cores <= 1", "affinity_pus >= 4"}));
  EXPECT_TRUE(fault({"cores > 8", "threads < 8"}));
  EXPECT_TRUE(fault({"smt == 0", "cores == 4", "threads == 8"}));
  EXPECT_TRUE(fault({"smt == 1", "cores >= 4", "threads <= 4"}));
  EXPECT_TRUE(fault({"threads <= 2", "affinity_pus >= 3"}));
  EXPECT_TRUE(fault({"l1_bytes >= 65536", "l2_bytes >= 1", "l2_bytes <= 32768"}));
  EXPECT_FALSE(fault({"cores <= 1", "affinity_pus >= 2"}));
  EXPECT_FALSE(fault({"smt == 0", "cores == 4", "threads == 4", "affinity_pus >= 4"}));
  EXPECT_FALSE(fault({"l1_bytes >= 65536", "l2_bytes <= 32768"}));  // there may be no L2
}

TEST(claim_predicate, faults_are_refused) {
  for (const char* text : {"l3_bytes", "l3_bytes >=", "l3_bytes => 4", "l3_bytes >= many", "arch > x86_64",
                           "cores >= nan", "cores <= inf", "l3_bytes >= 4 or so", "l4_bytes >= 4", ""})
    EXPECT_THROW(parse_population(text), harness::Error) << text;
}

TEST(claim_predicate, exclusions_leave_some_runs_and_exclude_some) {
  using Texts = std::vector<std::string>;
  for (const Texts& all :
       {Texts{"steal_ratio >= 0"}, Texts{"steal_ratio <= 1"},
        Texts{"load1 > 2", "steal_ratio > 0.05", "load1 <= 2"}, Texts{"turbo == 0", "turbo == 1"},
        Texts{"governor == performance", "governor != performance"},
        Texts{"smt_sibling != busy", "smt_sibling == busy"}, Texts{"major_faults > -1"},
        Texts{"involuntary_switches < 1", "involuntary_switches >= 1"}})
    EXPECT_NE(fault_of_exclusions(all).find("no run could count"), std::string::npos) << all[0];
  EXPECT_NE(fault_of_exclusions({"steal_ratio > 5"}).find("excludes nothing"), std::string::npos);
  EXPECT_NE(fault_of_exclusions({"smt_sibling == asleep"}).find("excludes nothing"), std::string::npos);
  EXPECT_EQ(fault_of_exclusions({"steal_ratio > 0.05", "psi_cpu_some > 0.1", "load1 > 2",
                                 "smt_sibling == busy", "governor == powersave", "turbo == 1"}),
            "");
}

TEST(claim_predicate, some_machine_belongs_to_a_population) {
  EXPECT_NE(fault_of_population({"cores < 1"}).find("no machine"), std::string::npos);
  EXPECT_NE(fault_of_population({"cores > 4", "arch == x86_64", "cores < 5"}).find("no machine"),
            std::string::npos);
  EXPECT_NE(fault_of_population({"smt == 2"}).find("no machine"), std::string::npos);
  EXPECT_NE(fault_of_population({"arch == x86_64", "arch == aarch64"}).find("no machine"), std::string::npos);
  EXPECT_EQ(fault_of_population({"l3_bytes >= 4194304", "l3_bytes <= 4194304", "smt == 1"}), "");
}

}  // namespace
}  // namespace analysis
