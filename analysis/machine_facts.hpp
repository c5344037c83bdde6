// What is known of a machine before a model runs on it, each fact with how far it is trusted: the input of
// every forecast that is not made of this machine's own curves. docs/forecasts.md, "A CPU that nobody
// measured".
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cpu_catalogue.hpp"
#include "analysis/microarchitectures.hpp"
#include "harness/error.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"

namespace analysis {

/// A value that lies with 90 % within value ÷ spread and value · spread. What nobody verified has already had
/// its spread squared: its interval is twice as wide on logarithms.
struct Fact {
  double value = 0, spread = 1;
  std::string source;  ///< in words, for people
  bool verified = true;
};

/// One level of a core's memory: a data cache, or "dram", which has no size.
struct LevelFacts {
  std::string level;           ///< "l1" | "l2" | "l3" | "dram"
  int64_t reported_bytes = 0;  ///< per instance
  std::string size_source;     ///< in words: where reported_bytes is from
  std::optional<Fact> usable_bytes;
  harness::Reading<Fact> read_bytes_per_s;  ///< by one core
};

/// How long a core's last cache keeps lines that nobody touches: on a host shared with strangers not for
/// ever.
struct HalfLife {
  std::string level;
  double ns = 0;
  bool at_least = false;  ///< its end was not seen
};

/// One kind of core.
struct CoreFacts {
  std::string core_kind, microarchitecture;  ///< microarchitecture "" when unknown
  std::string isa;                           ///< the kernel table it would run; "" when unknown
  std::vector<LevelFacts> levels;            ///< ascending, "dram" last
  harness::Reading<Fact> clock_hz;
  harness::Reading<Fact> macs_per_s;            ///< of GEMV with weights in the nearest caches
  harness::Reading<Fact> attention_macs_per_s;  ///< over K and V
  harness::Reading<Fact> values_per_s;          ///< of norms, activations and all the rest
  Fact formula{1, 1, "", true};                 ///< how far the formula itself is trusted
  harness::Reading<HalfLife> half_life =
      harness::Unavailable{"nobody has measured how long its last cache keeps lines"};
};

struct MachineFacts {
  std::string name;
  std::string origin;            ///< "catalogue" | "topology" | "submission"
  std::vector<CoreFacts> kinds;  ///< strongest first
  std::vector<std::string> notes;
};

/// Returns the kernel table that a CPU with these instruction sets runs. Analysis does not know the kernels.
using ChooseKernels = std::function<std::string(const std::vector<std::string>&)>;

/// What the user knows better; each replaces a fact, without a spread of its own.
struct WhatIf {
  struct Level {
    std::optional<int64_t> bytes;
    std::optional<double> read_bytes_per_s;
  };
  std::vector<std::pair<std::string, Level>> levels;  ///< "l1" | "l2" | "l3" | "dram"
  std::optional<double> clock_hz;
  [[nodiscard]] bool empty() const { return levels.empty() && !clock_hz; }
};

/// Makes the facts of a CPU of the catalogue from its caches, clock and channels and its cores' priors.
MachineFacts facts_of_cpu(const Cpu& cpu, const ChooseKernels& choose, const WhatIf& what_if);

/// Makes those of a recorded topology: sizes from it, speeds from the catalogue's CPU of that name, else from
/// the priors that its CPUID means, else none: the reason says what is missing.
MachineFacts facts_of_topology(const harness::Topology& topology, const ChooseKernels& choose,
                               const WhatIf& what_if);

/// Makes those of the kind of core that a document's probes measured: sizes, speeds and clock are measured,
/// what a kernel multiplies is a prior.
MachineFacts facts_of_submission(const harness::Submission& probed, const ChooseKernels& choose,
                                 const WhatIf& what_if);

/// Returns "SOURCE" or "unverified: WHY".
std::string origin_of(const Provenance& provenance);

// The steps, for the sources above.

/// Takes a prior as a fact; what nobody verified gets its spread squared. `what` precedes its source, if not
/// "".
Fact fact_of(const Prior& prior, const std::string& what);
/// Multiplies two facts; their spreads add as a root of squares on logarithms.
Fact product(const Fact& a, const Fact& b, const std::string& source);
/// Sets what the core computes per second from its clock and priors. Needs clock_hz.
void set_compute(CoreFacts& core, const Microarchitecture* kind, const ChooseKernels& choose);
/// Makes a cache level of that size, read at the microarchitecture's bytes per cycle.
LevelFacts cache_level(const std::string& level, int64_t bytes, const std::string& size_source,
                       const Microarchitecture* kind, const harness::Reading<Fact>& clock_hz,
                       const std::string& no_prior);
/// Replaces what the user gave: sizes and rates of levels; a level that is not there is added.
void apply(MachineFacts& machine, const WhatIf& what_if);

}  // namespace analysis
