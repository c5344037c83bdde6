// The machine's shape as a value: read from the host, from a recorded hwloc XML, or from a synthetic string.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// One kind of cache: all instances that share level, type, size, associativity and sharing.
/// Sizes are *per instance*: an EPYC 7742 has 16 × 16 MiB of L3, not 256 MiB.
struct Cache {
  int level = 0;
  std::string type;         ///< "data", "instruction", "unified"
  uint64_t bytes = 0;       ///< per instance; 0 when the system does not say
  int line_bytes = 0;       ///< 0 when unknown
  int ways = 0;             ///< 0 when unknown, -1 when fully associative
  int shared_by_pus = 0;    ///< PUs below one instance
  int instances = 0;
  std::string source;       ///< "hwloc", or "os" when read from sysfs because hwloc had none
  std::string memory_side;  ///< reserved: "" for CPU caches, "memory_side" for a memory-side cache

  bool operator==(const Cache&) const = default;
};

/// One hardware thread.
struct Pu {
  int os_index = 0;
  int core = 0;      ///< logical core index (PUs with the same core are SMT siblings)
  int llc = -1;      ///< logical index of the last-level cache instance above it; -1 when there is none
  int core_kind = 0; ///< index into Topology::core_kinds
  bool allowed = false;
};

/// Cores that are alike, told apart by their cpusets (hwloc cpukinds); one entry when the machine is uniform.
struct CoreKind {
  std::string name;  ///< "performance", "efficiency", "uniform", or hwloc's CoreType
  int cores = 0;
  int pus = 0;
};

struct Topology {
  std::string source;  ///< "host", "xml:FILE" or "synthetic:STRING"
  bool this_machine = false;
  std::vector<Cache> caches;  ///< ascending level, data before instruction
  std::vector<Pu> pus;        ///< ascending os_index; online ones only
  std::vector<CoreKind> core_kinds;
  int packages = 0, cores = 0, numa_nodes = 0;
  uint64_t memory_bytes = 0;
};

Topology read_host_topology();
/// Throws Error(invalid_input) when the file is missing or is no hwloc XML.
Topology read_topology_xml(const std::string& path);
/// hwloc's synthetic description, e.g. "pack:1 l3:1 core:2 pu:1". Throws Error(invalid_input).
Topology read_synthetic_topology(const std::string& description);

/// Returns the data or unified cache of a level seen by a PU, or nullptr.
const Cache* find_cache(const Topology& topology, int level);
/// Returns the last-level data or unified CPU cache, or nullptr when the machine tells of none.
const Cache* last_level_cache(const Topology& topology);
/// Returns the os_index list of allowed PUs.
std::vector<int> allowed_pus(const Topology& topology);

/// Where a second thread runs relative to the first: the vocabulary of `placement`.
/// Returns the os_index of an allowed PU that stands in that relation to `pu`
/// ("sibling" | "same_llc" | "other_llc"), or -1 when there is none.
int neighbour_pu(const Topology& topology, int pu, const std::string& placement);

}  // namespace harness
