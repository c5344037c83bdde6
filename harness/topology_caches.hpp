// From single cache instances to the kinds of caches that Topology lists.
#pragma once
#include <vector>

#include "harness/topology.hpp"

namespace harness {

/// One cache instance; `kind.shared_by_pus` and `kind.instances` are ignored.
struct CacheInstance {
  Cache kind;
  std::vector<int> pu_os_indices;  ///< online PUs that it serves
};

/// Sets Topology::caches, Pu::caches and Pu::llc from all instances. Needs Topology::pus with their core
/// kinds.
void set_caches(Topology& topology, std::vector<CacheInstance> instances);

}  // namespace harness
