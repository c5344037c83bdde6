// Topologies through hwloc 2 (https://www.open-mpi.org/projects/hwloc/, reference manual).
#include <fcntl.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "harness/error.hpp"
#include "harness/pinning.hpp"
#include "harness/topology.hpp"
#include "harness/topology_caches.hpp"
#include "harness/topology_kinds.hpp"
#include "harness/topology_os.hpp"

namespace harness {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// Starts a topology that keeps every cache, and PUs which a cgroup forbids: they are part of the machine.
HwlocTopology begin_topology() {
  // hwloc prints what it dislikes on stderr, where only our own lines belong; 2 hides all (hwloc manual,
  // environment).
  static const int hidden = setenv("HWLOC_HIDE_ERRORS", "2", 0);
  (void)hidden;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error(ExitCode::internal, "hwloc cannot be initialised");
  HwlocTopology topology(raw);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

std::vector<int> indices_of(hwloc_const_bitmap_t bitmap) {
  std::vector<int> indices;
  for (int index = hwloc_bitmap_first(bitmap); index >= 0; index = hwloc_bitmap_next(bitmap, index)) {
    indices.push_back(index);
  }
  return indices;
}

std::vector<RankedKind> read_ranked_kinds(hwloc_topology_t topology) {
  std::vector<RankedKind> kinds;
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  for (int i = 0; i < count; ++i) {
    const Bitmap cpuset(hwloc_bitmap_alloc());
    RankedKind kind;
    unsigned info_count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(i), cpuset.get(), &kind.efficiency,
                                &info_count, &infos, 0) != 0) {
      continue;
    }
    for (unsigned j = 0; j < info_count; ++j) {
      if (std::string(infos[j].name) == "CoreType") kind.core_type = infos[j].value;
    }
    kind.pus = indices_of(cpuset.get());
    if (!kind.pus.empty()) kinds.push_back(kind);
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const RankedKind& a, const RankedKind& b) {
    if (a.efficiency != b.efficiency) return a.efficiency > b.efficiency;
    return a.pus.front() < b.pus.front();
  });
  return kinds;
}

void set_pus(Topology& topology, hwloc_topology_t source) {
  hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(source);
  topology.cores = std::max(hwloc_get_nbobjs_by_type(source, HWLOC_OBJ_CORE), 0);
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(source, HWLOC_OBJ_PU, pu)) != nullptr;) {
    Pu entry;
    entry.os_index = static_cast<int>(pu->os_index);
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(source, HWLOC_OBJ_CORE, pu);
    // A machine that tells of no cores has one per PU.
    entry.core = core != nullptr ? static_cast<int>(core->logical_index) : topology.cores++;
    entry.allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0;
    topology.pus.push_back(entry);
  }
  std::sort(topology.pus.begin(), topology.pus.end(),
            [](const Pu& a, const Pu& b) { return a.os_index < b.os_index; });
}

const char* type_name(hwloc_obj_cache_type_t type) {
  return type == HWLOC_OBJ_CACHE_DATA          ? "data"
         : type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction"
                                               : "unified";
}

std::vector<CacheInstance> read_cache_instances(hwloc_topology_t source) {
  std::vector<CacheInstance> instances;
  for (int type = HWLOC_OBJ_TYPE_MIN; type < HWLOC_OBJ_TYPE_MAX; ++type) {
    const auto object_type = static_cast<hwloc_obj_type_t>(type);
    const bool memory_side = object_type == HWLOC_OBJ_MEMCACHE;
    if (!memory_side && hwloc_obj_type_is_cache(object_type) == 0) continue;
    for (hwloc_obj_t cache = nullptr;
         (cache = hwloc_get_next_obj_by_type(source, object_type, cache)) != nullptr;) {
      CacheInstance instance;
      instance.kind.level = static_cast<int>(cache->attr->cache.depth);
      instance.kind.type = memory_side ? "unified" : type_name(cache->attr->cache.type);
      instance.kind.bytes = cache->attr->cache.size;
      instance.kind.line_bytes = static_cast<int>(cache->attr->cache.linesize);
      instance.kind.ways = cache->attr->cache.associativity;
      instance.kind.source = "hwloc";
      instance.kind.memory_side = memory_side ? "memory_side" : "";
      instance.pu_os_indices = indices_of(cache->cpuset);
      instances.push_back(std::move(instance));
    }
  }
  return instances;
}

/// A package none of whose PUs is here (a cgroup took them before the recording) is not counted.
int count_packages(hwloc_topology_t source) {
  int packages = 0;
  for (hwloc_obj_t package = nullptr;
       (package = hwloc_get_next_obj_by_type(source, HWLOC_OBJ_PACKAGE, package)) != nullptr;) {
    if (hwloc_bitmap_iszero(package->cpuset) == 0) ++packages;
  }
  return packages;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Returns what the object says of itself under this key; "" when nothing.
std::string info_of(hwloc_obj_t object, const char* key) {
  const char* text = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, key);
  return text == nullptr ? "" : trimmed(text);
}

/// Sets what the CPU calls itself: the first package tells it, on some systems the machine.
void set_cpu_name(Topology& topology, hwloc_topology_t source) {
  hwloc_obj_t package = hwloc_get_obj_by_type(source, HWLOC_OBJ_PACKAGE, 0);
  const auto told = [&](const char* key) {
    const std::string text = info_of(package, key);
    return text.empty() ? info_of(hwloc_get_root_obj(source), key) : text;
  };
  topology.cpu_vendor = told("CPUVendor");
  topology.cpu_model = told("CPUModel");
  topology.cpu_family = std::atoi(told("CPUFamilyNumber").c_str());
  topology.cpu_model_number = std::atoi(told("CPUModelNumber").c_str());
}

Topology convert(hwloc_topology_t source) {
  Topology topology;
  set_cpu_name(topology, source);
  topology.packages = count_packages(source);
  topology.numa_nodes = std::max(hwloc_get_nbobjs_by_type(source, HWLOC_OBJ_NUMANODE), 0);
  topology.memory_bytes = hwloc_get_root_obj(source)->total_memory;
  set_pus(topology, source);
  set_core_kinds(topology, read_ranked_kinds(source));
  set_caches(topology, read_cache_instances(source));
  return topology;
}

/// Returns the topology in a file, or nullptr when hwloc refuses it.
HwlocTopology load_xml(const std::string& path) {
  HwlocTopology source = begin_topology();
  if (hwloc_topology_set_xml(source.get(), path.c_str()) != 0 || hwloc_topology_load(source.get()) != 0)
    return nullptr;
  return source;
}

/// Tries a file in a child process: hwloc 2.9 dereferences a null pointer on an object whose
/// complete_cpuset or complete_nodeset is missing, and a damaged file must not end us.
bool xml_loads_in_a_child(const std::string& path) {
  const pid_t child = fork();
  if (child < 0) return true;  // no process to spare: try it ourselves
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDERR_FILENO);
    _exit(load_xml(path) ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

uint64_t meminfo_total_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  uint64_t kib = 0;
  return file >> key >> kib && key == "MemTotal:" ? kib * 1024 : 0;
}

}  // namespace

Topology read_host_topology() {
  const HwlocTopology source = begin_topology();
  if (hwloc_topology_load(source.get()) != 0) {
    throw Error(ExitCode::unavailable, "hwloc cannot read this machine's topology: does `lstopo` work here?");
  }
  Topology topology = convert(source.get());
  topology.source = "host";
  topology.this_machine = hwloc_topology_is_thissystem(source.get()) != 0;
  if (!topology.this_machine) return topology;
  const std::vector<int> affinity = affinity_pus();
  for (Pu& pu : topology.pus) {
    pu.allowed = pu.allowed && std::binary_search(affinity.begin(), affinity.end(), pu.os_index);
  }
  if (const uint64_t total = meminfo_total_bytes(); total != 0) topology.memory_bytes = total;
  if (topology.caches.empty()) add_os_caches(topology);
  return topology;
}

Topology read_topology_xml(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || access(path.c_str(), R_OK) != 0) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) throw Error(ExitCode::invalid_input, fmt::format("{}: not a file", path));
  HwlocTopology source = xml_loads_in_a_child(path) ? load_xml(path) : nullptr;
  if (!source) {
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: not a topology that hwloc {} reads; `lstopo FILE.xml` writes one", path,
                            HWLOC_API_VERSION >> 16));
  }
  Topology topology = convert(source.get());
  topology.source = "xml:" + path;
  return topology;
}

Topology read_synthetic_topology(const std::string& description) {
  const HwlocTopology source = begin_topology();
  if (hwloc_topology_set_synthetic(source.get(), description.c_str()) != 0 ||
      hwloc_topology_load(source.get()) != 0) {
    throw Error(
        ExitCode::invalid_input,
        fmt::format("\"{}\" is no synthetic topology; an example is \"pack:1 l3:1 l2:4 l1d:1 core:1 pu:1\"",
                    description));
  }
  Topology topology = convert(source.get());
  topology.source = "synthetic:" + description;
  return topology;
}

}  // namespace harness
