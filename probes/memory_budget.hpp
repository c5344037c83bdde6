// How much memory a probe may take.
#pragma once
#include <cstdint>
#include <string>

namespace probes {

/// No probe takes more than this, whatever the machine has: a run stays below 1.5 GiB.
inline constexpr int64_t max_buffer_bytes = int64_t{1280} << 20;

/// Returns a quarter of what /proc/meminfo calls available, or of what the control group's memory limit
/// leaves when that is less (proc(5), cgroups(7)); at most max_buffer_bytes. `root` prefixes the paths;
/// without files to read it is 256 MiB.
int64_t memory_budget_bytes(const std::string& root = "");

}  // namespace probes
