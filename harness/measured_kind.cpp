#include "harness/measured_kind.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace harness {

void put_measured_first(Machine& machine, const Topology& topology, int pu_os_index) {
  const auto pu = std::find_if(topology.pus.begin(), topology.pus.end(),
                               [pu_os_index](const Pu& each) { return each.os_index == pu_os_index; });
  if (pu == topology.pus.end() || machine.caches != topology.caches) return;
  const auto kind = static_cast<std::ptrdiff_t>(pu->core_kind);
  if (kind < static_cast<std::ptrdiff_t>(machine.core_kinds.size()))
    std::rotate(machine.core_kinds.begin(), machine.core_kinds.begin() + kind,
                machine.core_kinds.begin() + kind + 1);
  using Ranked = std::pair<bool, Cache>;  // whether another core's, and the cache
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < machine.caches.size(); ++i) {
    const bool seen =
        std::find(pu->caches.begin(), pu->caches.end(), static_cast<int>(i)) != pu->caches.end();
    ranked.emplace_back(!seen, machine.caches[i]);
  }
  const auto key = [](const Ranked& each) {
    const Cache& cache = each.second;
    return std::tuple(!cache.memory_side.empty(), cache.level, cache.type == "instruction", each.first);
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&key](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
  for (size_t i = 0; i < ranked.size(); ++i) machine.caches[i] = ranked[i].second;
}

}  // namespace harness
