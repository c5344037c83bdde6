// Binds the calling thread to one PU and gives the old binding back.
#pragma once
#include <string>
#include <vector>

#include "harness/topology.hpp"

namespace harness {

/// Owns the calling thread's CPU binding. Refuses (Error unavailable) a PU that is not in the allowed set,
/// and a topology that is not this machine's: hwloc "binds" on a foreign topology successfully and does
/// nothing.
class Pin {
 public:
  Pin(const Topology& topology, int pu_os_index);
  ~Pin();
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  [[nodiscard]] int pu() const { return pu_; }

 private:
  int pu_;
  std::vector<unsigned long> previous_mask_;
};

/// Chooses the PU to measure on: the last allowed PU of the first core kind (PU 0 serves most interrupts),
/// or `wanted` when it is not -1. Throws Error(unavailable) when it is not allowed.
int choose_pu(const Topology& topology, int wanted = -1);

/// Chooses the PUs of `count` threads that work together, `main_pu` first: a PU of each further core, those
/// of the same kind and last-level cache first, then of the same kind, then the others; second hardware
/// threads of cores only when there are more threads than cores. Throws Error(unavailable) when fewer PUs are
/// allowed.
std::vector<int> choose_team_pus(const Topology& topology, int main_pu, int count);

/// Returns how many of the PUs share a core with an earlier one.
int sibling_count(const Topology& topology, const std::vector<int>& pus);

/// Returns the PUs in the calling thread's affinity mask, ascending, whatever its size (more than 1,024 CPUs
/// exist). Throws Error(unavailable) when the system does not tell.
std::vector<int> affinity_pus();

}  // namespace harness
