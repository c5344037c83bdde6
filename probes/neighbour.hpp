// Where a second thread runs, relative to the thread that is measured.
#pragma once
#include <string>
#include <vector>

#include "harness/error.hpp"
#include "harness/topology.hpp"

namespace probes {

/// A PU for a second thread, and its place relative to the first.
struct Neighbour {
  int pu = -1;
  std::string placement;  ///< "sibling" | "same_llc" | "other_llc"
};

/// Returns the topology with the PUs after the first of `pus` not allowed: others run on them.
harness::Topology without(const harness::Topology& topology, const std::vector<int>& pus);

/// Returns the nearest allowed PU: a sibling, else one under the same last-level cache, else another.
/// Unavailable, with the reason, when the place of no other PU is known.
harness::Reading<Neighbour> nearest_neighbour(const harness::Topology& topology, int pu);

/// Throws Error(usage) for a word that is neither empty nor a place of a second thread.
void check_placement(const std::string& placement);

/// Returns an allowed PU at `placement`, which when empty is the nearest. Unavailable, with the reason, when
/// there is none there; throws as check_placement().
harness::Reading<Neighbour> neighbour_at(const harness::Topology& topology, int pu,
                                         const std::string& placement);

}  // namespace probes
