#include "harness/topology_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace harness {
namespace {

/// Names a kind by the vendor's word (IntelCore, IntelAtom, AMDPerformance, AMDEfficiency), else by its rank.
std::string kind_name(const RankedKind& kind, size_t index, size_t count) {
  const auto says = [&kind](const char* word) { return kind.core_type.find(word) != std::string::npos; };
  if (says("Performance") || says("IntelCore")) return "performance";
  if (says("Efficiency") || says("IntelAtom")) return "efficiency";
  if (kind.efficiency >= 0 && index == 0) return "performance";
  if (kind.efficiency >= 0 && index + 1 == count) return "efficiency";
  return fmt::format("kind_{}", index);
}

/// Adds the named kinds and returns the kind of every PU that has one.
std::map<int, int> add_kinds(Topology& topology, const std::vector<RankedKind>& kinds) {
  std::map<int, int> kind_of;
  std::map<std::string, int> used;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = kind_name(kinds[i], i, kinds.size());
    const int times = ++used[name];
    topology.core_kinds.push_back({times == 1 ? name : fmt::format("{}_{}", name, times), 0, 0});
    for (int pu : kinds[i].pus) kind_of.emplace(pu, static_cast<int>(i));
  }
  return kind_of;
}

}  // namespace

void set_core_kinds(Topology& topology, const std::vector<RankedKind>& kinds) {
  std::map<int, int> kind_of;
  topology.core_kinds.clear();
  if (kinds.size() > 1) kind_of = add_kinds(topology, kinds);
  const auto covered = [&kind_of](const Pu& pu) { return kind_of.count(pu.os_index) != 0; };
  if (!std::all_of(topology.pus.begin(), topology.pus.end(), covered)) {
    topology.core_kinds.push_back({kinds.size() > 1 ? "other" : "uniform", 0, 0});
  }
  const int last_kind = static_cast<int>(topology.core_kinds.size()) - 1;
  std::set<int> counted_cores;
  for (Pu& pu : topology.pus) {
    const auto kind = kind_of.find(pu.os_index);
    pu.core_kind = kind == kind_of.end() ? last_kind : kind->second;
    CoreKind& core_kind = topology.core_kinds[static_cast<size_t>(pu.core_kind)];
    ++core_kind.pus;
    if (counted_cores.insert(pu.core).second) ++core_kind.cores;
  }
}

}  // namespace harness
