#include "harness/topology_kinds.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

std::vector<std::string> names_of(const std::vector<RankedKind>& kinds) {
  Topology topology = read_synthetic_topology("pack:1 core:4 pu:1");
  set_core_kinds(topology, kinds);
  std::vector<std::string> names;
  for (const CoreKind& kind : topology.core_kinds) names.push_back(kind.name);
  return names;
}

TEST(topology_kinds, one_kind_or_none_is_uniform) {
  EXPECT_EQ(names_of({}), (std::vector<std::string>{"uniform"}));
  EXPECT_EQ(names_of({{"IntelCore", 0, {0, 1, 2, 3}}}), (std::vector<std::string>{"uniform"}));
}

TEST(topology_kinds, the_vendors_word_comes_before_the_rank) {
  EXPECT_EQ(names_of({{"IntelAtom", 1, {0, 1}}, {"IntelCore", 0, {2, 3}}}),
            (std::vector<std::string>{"efficiency", "performance"}));
}

TEST(topology_kinds, two_kinds_of_one_word_are_numbered) {
  EXPECT_EQ(names_of({{"IntelCore", 2, {0}}, {"IntelAtom", 1, {1}}, {"IntelAtom", 0, {2, 3}}}),
            (std::vector<std::string>{"performance", "efficiency", "efficiency_2"}));
}

TEST(topology_kinds, three_ranked_kinds_have_a_middle) {
  EXPECT_EQ(names_of({{"", 2, {0}}, {"", 1, {1, 2}}, {"", 0, {3}}}),
            (std::vector<std::string>{"performance", "kind_1", "efficiency"}));
}

TEST(topology_kinds, kinds_that_leave_pus_out_get_company) {
  EXPECT_EQ(names_of({{"", -1, {0}}, {"", -1, {1}}}),
            (std::vector<std::string>{"kind_0", "kind_1", "other"}));
}

TEST(topology_kinds, siblings_count_as_one_core) {
  Topology topology = read_synthetic_topology("pack:1 core:4 pu:2");
  set_core_kinds(topology, {{"", 1, {0, 1}}, {"", 0, {2, 3, 4, 5, 6, 7}}});
  EXPECT_EQ(topology.core_kinds[0].cores, 1);
  EXPECT_EQ(topology.core_kinds[0].pus, 2);
  EXPECT_EQ(topology.core_kinds[1].cores, 3);
  EXPECT_EQ(topology.pus[7].core_kind, 1);
}

}  // namespace
}  // namespace harness
