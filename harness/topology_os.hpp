// Caches as the operating system's files tell them: for machines where hwloc finds none.
#pragma once
#include <string>
#include <vector>

#include "harness/topology.hpp"

namespace harness {

/// Parses a Linux CPU list, e.g. "0-3,8" (kernel Documentation/admin-guide/cputopology.rst). What is no list
/// is empty.
std::vector<int> parse_cpu_list(const std::string& text);

/// Fills caches, Pu::caches and Pu::llc of a topology from ROOT/sys/devices/system/cpu/cpuN/cache/indexM
/// (kernel Documentation/ABI/testing/sysfs-devices-system-cpu). Entries without a level or type are left out;
/// a size that is absent, 0 or negative is 0. Leaves the topology as it is when there is nothing to read.
void add_os_caches(Topology& topology, const std::string& root = "");

}  // namespace harness
