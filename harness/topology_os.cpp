#include "harness/topology_os.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "harness/topology_caches.hpp"

namespace harness {
namespace {

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Returns the number a file starts with, or 0 when there is none or it is negative.
long long read_count(const std::string& path) {
  long long value = 0;
  std::istringstream text(read_line(path));
  return text >> value ? std::max(value, 0LL) : 0;
}

uint64_t read_size_bytes(const std::string& path) {  // "48K"; the kernel always writes KiB
  long long value = 0;
  char unit = '\0';
  std::istringstream text(read_line(path));
  if (!(text >> value) || value <= 0) return 0;
  text >> unit;
  return static_cast<uint64_t>(value) << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
}

std::string cache_type(const std::string& sysfs_type) {
  if (sysfs_type == "Data") return "data";
  if (sysfs_type == "Instruction") return "instruction";
  return sysfs_type == "Unified" ? "unified" : "";
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0;
    int last = 0;
    char dash = '\0';
    std::istringstream numbers(part);
    if (!(numbers >> first) || first < 0) return {};
    last = first;
    if (numbers >> dash && (dash != '-' || !(numbers >> last))) return {};
    if (last < first || last - first > 1 << 20) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

void add_os_caches(Topology& topology, const std::string& root) {
  std::vector<CacheInstance> instances;
  std::set<std::tuple<int, std::string, std::vector<int>>> seen;
  std::set<int> online;
  for (const Pu& pu : topology.pus) online.insert(pu.os_index);
  for (const Pu& pu : topology.pus) {
    for (int index = 0;; ++index) {
      const std::string folder =
          fmt::format("{}/sys/devices/system/cpu/cpu{}/cache/index{}/", root, pu.os_index, index);
      const std::string type = read_line(folder + "type");
      if (type.empty()) break;
      CacheInstance instance;
      instance.kind.level = static_cast<int>(read_count(folder + "level"));
      instance.kind.type = cache_type(type);
      if (instance.kind.level == 0 || instance.kind.type.empty()) continue;
      instance.kind.bytes = read_size_bytes(folder + "size");
      instance.kind.line_bytes = static_cast<int>(read_count(folder + "coherency_line_size"));
      instance.kind.ways = static_cast<int>(read_count(folder + "ways_of_associativity"));
      instance.kind.source = "os";
      for (int cpu : parse_cpu_list(read_line(folder + "shared_cpu_list"))) {
        if (online.count(cpu) != 0) instance.pu_os_indices.push_back(cpu);
      }
      if (instance.pu_os_indices.empty()) instance.pu_os_indices = {pu.os_index};
      if (seen.emplace(instance.kind.level, instance.kind.type, instance.pu_os_indices).second) {
        instances.push_back(std::move(instance));
      }
    }
  }
  if (!instances.empty()) set_caches(topology, std::move(instances));
}

}  // namespace harness
