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
  std::string type;       ///< "data", "instruction", "unified"
  uint64_t bytes = 0;     ///< per instance; 0 when the system does not say
  int line_bytes = 0;     ///< 0 when unknown
  int ways = 0;           ///< 0 when unknown, -1 when fully associative
  int shared_by_pus = 0;  ///< PUs below one instance
  int instances = 0;
  std::string source;       ///< "hwloc", or "os" when read from sysfs because hwloc had none
  std::string memory_side;  ///< "" for CPU caches, "memory_side" for a memory-side cache

  bool operator==(const Cache&) const = default;
};

/// One hardware thread.
struct Pu {
  int os_index = 0;
  int core = 0;       ///< logical core index (PUs with the same core are SMT siblings)
  int llc = -1;       ///< logical index of the last-level cache instance above it; -1 when there is none
  int core_kind = 0;  ///< index into Topology::core_kinds
  bool allowed = false;
  std::vector<int> caches;  ///< indices into Topology::caches of the CPU caches above it, ascending
};

/// Cores that are alike, told apart by their cpusets (hwloc cpukinds); one entry when the machine is uniform.
struct CoreKind {
  /// "uniform"; or "performance" and "efficiency" (by the vendor's CoreType, else by hwloc's ranking),
  /// "kind_N" for what stands between or is not ranked, "other" for PUs that belong to no kind. Unique:
  /// "efficiency_2" …
  std::string name;
  int cores = 0;
  int pus = 0;
};

struct Topology {
  std::string source;  ///< "host", "xml:FILE" or "synthetic:STRING"
  bool this_machine = false;
  /// Ascending level, data before unified before instruction, then the first core kind's first; memory-side
  /// ones last.
  std::vector<Cache> caches;
  std::vector<Pu> pus;                ///< ascending os_index; online ones only
  std::vector<CoreKind> core_kinds;   ///< strongest first where hwloc ranks them, else by their first PU
  std::string cpu_vendor, cpu_model;  ///< as the first package tells them, trimmed; "" when it does not
  int cpu_family = 0, cpu_model_number = 0;  ///< of CPUID; 0 when the system does not say
  int packages = 0;                          ///< 0 when the system does not say
  int cores = 0, numa_nodes = 0;
  uint64_t memory_bytes = 0;  ///< on the host MemTotal: hwloc counts guest memory too low
};

/// Reads this machine. A PU is allowed when both the cgroup (as hwloc reads it) and the thread's own affinity
/// mask say so. Throws Error(unavailable) when hwloc cannot read it. With HWLOC_XMLFILE or HWLOC_SYNTHETIC in
/// the environment hwloc reads that instead; `this_machine` is then false.
Topology read_host_topology();
/// Throws Error(invalid_input) when the file is missing or is no hwloc XML.
Topology read_topology_xml(const std::string& path);
/// hwloc's synthetic description, e.g. "pack:1 l3:1 core:2 pu:1". Throws Error(invalid_input).
Topology read_synthetic_topology(const std::string& description);

/// Returns the data or unified CPU cache of a level that the PU sees, or nullptr. Without a PU: that of the
/// first core kind which has one.
const Cache* find_cache(const Topology& topology, int level);
const Cache* find_cache(const Topology& topology, int level, int pu_os_index);
/// Returns the last-level data or unified CPU cache that the PU sees, or nullptr when the machine tells of
/// none. Without a PU: that of the machine's highest level, of the first core kind which has one.
const Cache* last_level_cache(const Topology& topology);
const Cache* last_level_cache(const Topology& topology, int pu_os_index);
/// Returns the os_index list of allowed PUs.
std::vector<int> allowed_pus(const Topology& topology);

/// Where a second thread runs relative to the first: the vocabulary of `placement`.
/// Returns the os_index of an allowed PU that stands in that relation to `pu`
/// ("sibling" | "same_llc" | "other_llc"), or -1 when there is none. same_llc is another core; equals of the
/// same core kind come first. Where no last-level cache is known, same_llc and other_llc are unknown too: -1.
int neighbour_pu(const Topology& topology, int pu, const std::string& placement);

}  // namespace harness
