// A history of machines that do not exist, with regressions planted where it is known: for tests and for
// script/prove-regress. docs/regressions.md tells every parameter; none was chosen by what is found.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "harness/store_history.hpp"

namespace cli {

struct SimulationPlan {
  int machines = 200, commits = 50;
  double slower = 0.05;  ///< what a planted regression takes of the speed
  uint64_t seed = 1;
};

/// Which regression a series has: "everywhere", "family" (avx2 kernels of CPUs with 256 KiB of L2), "machine"
/// (single ones), "gradual" (single ones, over thirty commits).
using PlantedKinds =
    std::map<std::pair<std::string, harness::DecodeKey>, std::string>;  ///< by machine, decode

struct Simulation {
  harness::SpeedHistory history;
  PlantedKinds planted;
};

/// Makes a history: six kernels on every machine's own ISA and on avx2, one sitting per commit with a tenth
/// of them missing.
Simulation simulate(const SimulationPlan& plan);

/// What is to be said of a kernel of the simulation: "everywhere", "family", or "" where no group may be
/// claimed.
std::string planted_claim(const harness::DecodeKey& kernel);

}  // namespace cli
