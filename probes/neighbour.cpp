#include "probes/neighbour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace probes {
namespace {

struct Place {
  const char* placement;
  const char* missing;  ///< what it means that there is none
};

constexpr std::array<Place, 3> places{{
    {"sibling", "is a sibling of"},
    {"same_llc", "on another core shares the last-level cache of"},
    {"other_llc", "has another last-level cache than"},
}};

const Place* find_place(const std::string& placement) {
  const auto* const place = std::find_if(places.begin(), places.end(),
                                         [&](const Place& each) { return each.placement == placement; });
  return place == places.end() ? nullptr : place;
}

}  // namespace

void check_placement(const std::string& placement) {
  if (placement.empty() || find_place(placement) != nullptr) return;
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("placement '{}': give sibling, same_llc or other_llc, or nothing for the "
                                   "nearest of them",
                                   placement));
}

harness::Topology without(const harness::Topology& topology, const std::vector<int>& pus) {
  harness::Topology rest = topology;
  for (harness::Pu& pu : rest.pus) {
    if (!pus.empty() && std::find(pus.begin() + 1, pus.end(), pu.os_index) != pus.end()) pu.allowed = false;
  }
  return rest;
}

harness::Reading<Neighbour> nearest_neighbour(const harness::Topology& topology, int pu) {
  for (const Place& place : places) {
    const int found = harness::neighbour_pu(topology, pu, place.placement);
    if (found >= 0) return Neighbour{found, place.placement};
  }
  if (harness::allowed_pus(topology).size() < 2) {
    return harness::Unavailable{"only one PU is allowed: the antagonist needs one of its own"};
  }
  return harness::Unavailable{fmt::format(
      "no allowed PU whose place relative to PU {} is known (no last-level cache is reported)", pu)};
}

harness::Reading<Neighbour> neighbour_at(const harness::Topology& topology, int pu,
                                         const std::string& placement) {
  check_placement(placement);
  if (placement.empty()) return nearest_neighbour(topology, pu);
  const int found = harness::neighbour_pu(topology, pu, placement);
  if (found >= 0) return Neighbour{found, placement};
  return harness::Unavailable{fmt::format("no allowed PU {} PU {}", find_place(placement)->missing, pu)};
}

}  // namespace probes
