#include "harness/topology.hpp"

#include <algorithm>

namespace harness {
namespace {

bool holds_data(const Cache& cache) {
  return cache.type != "instruction" && cache.memory_side.empty();
}

const Pu* find_pu(const Topology& topology, int os_index) {
  const auto found = std::find_if(topology.pus.begin(), topology.pus.end(),
                                  [os_index](const Pu& pu) { return pu.os_index == os_index; });
  return found == topology.pus.end() ? nullptr : &*found;
}

bool stands_in_relation(const Pu& pu, const Pu& other, const std::string& placement) {
  if (placement == "sibling") return other.core == pu.core;
  if (pu.llc < 0 || other.llc < 0) return false;
  if (placement == "same_llc") return other.llc == pu.llc && other.core != pu.core;
  return placement == "other_llc" && other.llc != pu.llc;
}

}  // namespace

const Cache* find_cache(const Topology& topology, int level) {
  for (const Cache& cache : topology.caches) {
    if (holds_data(cache) && cache.level == level) return &cache;
  }
  return nullptr;
}

const Cache* find_cache(const Topology& topology, int level, int pu_os_index) {
  const Pu* pu = find_pu(topology, pu_os_index);
  if (pu == nullptr) return nullptr;
  for (int index : pu->caches) {
    const Cache& cache = topology.caches[static_cast<size_t>(index)];
    if (holds_data(cache) && cache.level == level) return &cache;
  }
  return nullptr;
}

const Cache* last_level_cache(const Topology& topology) {
  const Cache* last = nullptr;
  for (const Cache& cache : topology.caches) {
    if (holds_data(cache) && (last == nullptr || cache.level > last->level)) last = &cache;
  }
  return last;
}

const Cache* last_level_cache(const Topology& topology, int pu_os_index) {
  const Pu* pu = find_pu(topology, pu_os_index);
  if (pu == nullptr) return nullptr;
  const Cache* last = nullptr;
  for (int index : pu->caches) {
    const Cache& cache = topology.caches[static_cast<size_t>(index)];
    if (holds_data(cache) && (last == nullptr || cache.level > last->level)) last = &cache;
  }
  return last;
}

std::vector<int> allowed_pus(const Topology& topology) {
  std::vector<int> allowed;
  for (const Pu& pu : topology.pus) {
    if (pu.allowed) allowed.push_back(pu.os_index);
  }
  return allowed;
}

int neighbour_pu(const Topology& topology, int pu, const std::string& placement) {
  const Pu* self = find_pu(topology, pu);
  if (self == nullptr) return -1;
  int of_another_kind = -1;
  for (const Pu& other : topology.pus) {
    if (other.os_index == pu || !other.allowed || !stands_in_relation(*self, other, placement)) continue;
    if (other.core_kind == self->core_kind) return other.os_index;
    if (of_another_kind < 0) of_another_kind = other.os_index;
  }
  return of_another_kind;
}

}  // namespace harness
