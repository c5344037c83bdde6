// What a core of each kind is expected to do before anybody measures it: analysis/microarchitectures.json,
// compiled in. docs/cpu-catalogue.md.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cpu_catalogue.hpp"

namespace analysis {

/// An expected value: with 90 % within value ÷ spread and value · spread.
struct Prior {
  double value = 0, spread = 1;
  Provenance provenance;
};

/// Load-to-use, in cycles or in ns; the other is 0.
struct LatencyPrior {
  double cycles = 0, ns = 0;
  Provenance provenance;
};

/// Which CPUID values mean a microarchitecture.
struct CpuidMatch {
  std::string vendor;
  int family = 0;
  std::vector<int> models;
};

struct Microarchitecture {
  std::string name, title, note;
  std::vector<std::string> isa;  ///< spelt as harness::isa_names spells them
  int vector_bits = 0;           ///< width of its vector units
  std::vector<CpuidMatch> cpuid;
  std::map<std::string, Prior> bytes_per_cycle;  ///< "l1" | "l2" | "l3": what one core reads
  Prior dram_bytes_per_s;                        ///< what one core reads, whatever the channels give
  std::map<std::string, LatencyPrior> latency;   ///< "l1" | "l2" | "l3" | "dram"
};

/// What holds for every core. A Prior with value 1 is a spread alone.
struct SharedPriors {
  Prior dram_peak_fraction, clock, clock_without_boost, memory_fitted;
  std::map<std::string, Prior> usable_capacity;  ///< fraction of the reported size
  std::map<std::string, Prior> macs_per_cycle;   ///< by kernel table, on vector units of its own width
  std::map<std::string, int> kernel_vector_bits;
  std::map<std::string, Prior> format_speed;  ///< GEMV of "ternary", "group3" … against int8
  Prior attention_share;                      ///< multiply-adds of attention ÷ those of GEMV, per cycle
  Prior values_per_cycle;                     ///< of all that is neither
  Prior formula;                              ///< how far the formula itself is trusted
};

/// Returns all of them, parsed once. Throws Error(internal) when the compiled-in text is not such a file.
const std::vector<Microarchitecture>& microarchitectures();
const SharedPriors& shared_priors();

/// Returns the microarchitecture of this name, or nullptr.
const Microarchitecture* find_microarchitecture(std::string_view name);
/// Returns the one that CPUID's vendor, family and model mean, or nullptr.
const Microarchitecture* find_microarchitecture(std::string_view vendor, int family, int model);

}  // namespace analysis
