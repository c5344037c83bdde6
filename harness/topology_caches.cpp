#include "harness/topology_caches.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace harness {
namespace {

int type_order(const Cache& cache) {
  return cache.type == "data" ? 0 : cache.type == "unified" ? 1 : 2;
}

/// Sizes that no cache has: -1 as sysfs may say, read without a sign.
uint64_t believable_bytes(uint64_t bytes) {
  return bytes < uint64_t{1} << 40 ? bytes : 0;
}

/// Orders instances as Topology::caches wants its kinds: level, type, then the PU that stands first by core
/// kind.
void sort_instances(std::vector<CacheInstance>& instances, const std::map<int, Pu*>& pus) {
  const auto key = [&pus](const CacheInstance& instance) {
    std::pair<int, int> first_pu{1 << 30, 1 << 30};
    for (int os_index : instance.pu_os_indices) {
      if (const auto pu = pus.find(os_index); pu != pus.end()) {
        first_pu = std::min(first_pu, {pu->second->core_kind, os_index});
      }
    }
    return std::tuple(!instance.kind.memory_side.empty(), instance.kind.level, type_order(instance.kind),
                      first_pu);
  };
  std::stable_sort(instances.begin(), instances.end(),
                   [&key](const CacheInstance& a, const CacheInstance& b) { return key(a) < key(b); });
}

/// Returns the index of the kind of an instance in `caches`, adding it when it is new.
int kind_index(std::vector<Cache>& caches, const Cache& kind) {
  for (size_t i = 0; i < caches.size(); ++i) {
    Cache same = kind;
    same.instances = caches[i].instances;
    if (caches[i] == same) return static_cast<int>(i);
  }
  caches.push_back(kind);
  return static_cast<int>(caches.size()) - 1;
}

}  // namespace

void set_caches(Topology& topology, std::vector<CacheInstance> instances) {
  std::map<int, Pu*> pus;
  for (Pu& pu : topology.pus) {
    pus[pu.os_index] = &pu;
    pu.caches.clear();
    pu.llc = -1;
  }
  topology.caches.clear();
  sort_instances(instances, pus);
  std::map<int, int> llc_level;  // PU → level of the last cache seen above it
  int next_llc = 0;
  for (const CacheInstance& instance : instances) {
    Cache kind = instance.kind;
    kind.bytes = believable_bytes(kind.bytes);
    kind.shared_by_pus = static_cast<int>(instance.pu_os_indices.size());
    kind.instances = 0;
    const int index = kind_index(topology.caches, kind);
    ++topology.caches[static_cast<size_t>(index)].instances;
    if (!kind.memory_side.empty()) continue;
    const bool holds_data = kind.type != "instruction";
    for (int os_index : instance.pu_os_indices) {
      const auto pu = pus.find(os_index);
      if (pu == pus.end()) continue;
      pu->second->caches.push_back(index);
      if (holds_data && kind.level >= llc_level[os_index]) {
        llc_level[os_index] = kind.level;
        pu->second->llc = next_llc;  // unique for now, numbered from 0 below
      }
    }
    ++next_llc;
  }
  std::map<int, int> logical;
  for (const Pu& pu : topology.pus) {
    if (pu.llc >= 0) logical.emplace(pu.llc, static_cast<int>(logical.size()));
  }
  for (Pu& pu : topology.pus) {
    if (pu.llc >= 0) pu.llc = logical[pu.llc];
  }
}

}  // namespace harness
