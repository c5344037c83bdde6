// Core kinds: which cores are alike, and what each kind is called.
#pragma once
#include <string>
#include <vector>

#include "harness/topology.hpp"

namespace harness {

/// A kind of cores before it has its name.
struct RankedKind {
  std::string core_type;  ///< vendor's word, "" when there is none
  int efficiency = -1;    ///< hwloc's rank, higher is stronger; -1 when not ranked
  std::vector<int> pus;   ///< os_index
};

/// Sets Topology::core_kinds and every Pu::core_kind. `kinds` stand in the order that core_kinds shall have;
/// one kind or none makes the machine uniform. Needs Topology::pus with their cores.
void set_core_kinds(Topology& topology, const std::vector<RankedKind>& kinds);

}  // namespace harness
