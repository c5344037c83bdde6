#include "probes/neighbour.hpp"

#include <gtest/gtest.h>

namespace probes {
namespace {

/// A machine of `pus` PUs, two per core, all cores under `per_llc` PUs' last-level caches.
harness::Topology make_topology(int pus, int pus_per_core, int pus_per_llc) {
  return harness::read_synthetic_topology("pack:1 l3:" + std::to_string(pus / pus_per_llc) +
                                          " core:" + std::to_string(pus_per_llc / pus_per_core) +
                                          " pu:" + std::to_string(pus_per_core));
}

Neighbour found(const harness::Topology& topology, const std::string& placement = "") {
  return std::get<Neighbour>(neighbour_at(topology, 0, placement));
}

std::string reason(const harness::Reading<Neighbour>& neighbour) {
  const auto* why = std::get_if<harness::Unavailable>(&neighbour);
  return why == nullptr ? "" : why->reason;
}

TEST(NearestNeighbour, prefers_the_sibling_then_the_same_cache_then_any) {
  EXPECT_EQ(found(make_topology(8, 2, 4)).placement, "sibling");
  EXPECT_EQ(found(make_topology(8, 1, 4)).placement, "same_llc");
  EXPECT_EQ(found(make_topology(2, 1, 1)).placement, "other_llc");
  EXPECT_NE(found(make_topology(8, 2, 4)).pu, 0);
}

TEST(NearestNeighbour, is_unavailable_with_a_single_pu) {
  const auto neighbour = nearest_neighbour(make_topology(1, 1, 1), 0);
  EXPECT_NE(reason(neighbour).find("only one PU"), std::string::npos);
}

TEST(NearestNeighbour, skips_pus_that_are_not_allowed) {
  auto topology = make_topology(2, 1, 2);
  topology.pus[1].allowed = false;
  EXPECT_FALSE(harness::available(nearest_neighbour(topology, 0)));
}

TEST(NeighbourAt, finds_every_place_that_the_machine_has) {
  const auto topology =
      make_topology(8, 2, 4);  // cores {0,1} {2,3} under one cache, {4,5} {6,7} under another
  for (const std::string placement : {"sibling", "same_llc", "other_llc"})
    EXPECT_EQ(found(topology, placement).placement, placement);
  EXPECT_EQ(found(topology, "sibling").pu, 1);
  EXPECT_EQ(found(topology, "same_llc").pu, 2);
  EXPECT_EQ(found(topology, "other_llc").pu, 4);
}

TEST(NeighbourAt, says_what_is_missing_instead_of_taking_another_place) {
  const auto topology = make_topology(2, 1, 2);
  EXPECT_EQ(found(topology, "same_llc").pu, 1);
  EXPECT_EQ(reason(neighbour_at(topology, 0, "sibling")), "no allowed PU is a sibling of PU 0");
  EXPECT_EQ(reason(neighbour_at(topology, 0, "other_llc")),
            "no allowed PU has another last-level cache than PU 0");
}

TEST(NeighbourAt, refuses_a_word_that_is_no_place) {
  try {
    neighbour_at(make_topology(2, 1, 2), 0, "none");
    FAIL() << "nothing was thrown";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::usage);
  }
}

}  // namespace
}  // namespace probes
