#include "probes/memory_budget.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

namespace probes {
namespace {

std::optional<int64_t> read_available_bytes(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld kB", &kib) == 1) return kib * 1024;
  }
  return std::nullopt;
}

/// Returns nullopt when the file is missing or says "max".
std::optional<int64_t> read_bytes(const std::string& path) {
  std::ifstream file(path);
  int64_t bytes = 0;
  if (file >> bytes && bytes >= 0) return bytes;
  return std::nullopt;
}

}  // namespace

int64_t memory_budget_bytes(const std::string& root) {
  constexpr int64_t unknown_available_bytes = int64_t{1} << 30;
  int64_t available = read_available_bytes(root).value_or(unknown_available_bytes);
  const auto limit = read_bytes(root + "/sys/fs/cgroup/memory.max");
  if (limit) {
    const int64_t used = read_bytes(root + "/sys/fs/cgroup/memory.current").value_or(0);
    available = std::min(available, std::max<int64_t>(*limit - used, 0));
  }
  return std::min(available / 4, max_buffer_bytes);
}

}  // namespace probes
