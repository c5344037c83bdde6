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

TEST(claim_predicate, faults_are_refused) {
  for (const char* text : {"l3_bytes", "l3_bytes >=", "l3_bytes => 4", "l3_bytes >= many", "arch > x86_64",
                           "l3_bytes >= 4 or so", "l4_bytes >= 4", ""})
    EXPECT_THROW(parse_population(text), harness::Error) << text;
}

}  // namespace
}  // namespace analysis
