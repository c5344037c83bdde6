// Facts of CPUs that nobody measured: analysis/cpus.json, compiled in. docs/cpu-catalogue.md.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

/// Where a fact comes from: a key of its file's sources, or why nobody has checked it. One of the two is "".
struct Provenance {
  std::string source, unverified;
  [[nodiscard]] bool verified() const { return unverified.empty(); }
};

/// One kind of data cache of one core kind, per instance: an EPYC 7742 has 16 × 16 MiB of L3.
struct CpuCache {
  std::string level;  ///< "l1" | "l2" | "l3"
  int64_t bytes = 0;
  int instances = 0;
  Provenance provenance;
};

/// Cores that are alike.
struct CpuKind {
  std::string kind, microarchitecture;
  int cores = 0, threads = 0;
  double base_hz = 0, boost_hz = 0;  ///< 0 when not known
  Provenance clock;
  std::vector<CpuCache> caches;  ///< ascending level
};

/// What the maker supports; each channel is 8 bytes wide.
struct CpuMemory {
  int channels = 0;
  std::vector<std::string> types;
  double slowest_transfers_per_s = 0, fastest_transfers_per_s = 0;  ///< of the types' fastest rates
  Provenance provenance;
};

struct Cpu {
  std::string name, vendor, codename, note;
  int cores = 0, threads = 0;
  std::vector<CpuKind> kinds;  ///< strongest first
  CpuMemory memory;
};

/// Returns the text of analysis/NAME.json ("cpus", "microarchitectures"), compiled in (generated).
std::string_view catalogue_text(std::string_view name);

/// Returns the catalogue, parsed once. Throws Error(internal) when the compiled-in text is not one.
const std::vector<Cpu>& cpu_catalogue();

/// A document that facts or priors were read in.
struct Reference {
  std::string title, where;
};
/// Returns the sources of the catalogue and of the priors by their keys; of a key in both, the catalogue's.
const std::map<std::string, Reference>& references();
/// Returns the keys of those that are named in a text, as whole words.
std::vector<std::string> references_in(std::string_view text);

/// Reduces a CPU's name as people, systems and makers write it to words in lower case: "Intel(R) Core(TM)
/// i7-8700 CPU @ 3.20GHz" gives "intel core i7-8700".
std::string plain_cpu_name(std::string_view name);

/// Returns the CPUs of this name, ignoring case: the one whose plain name it is, else all that contain every
/// word of it. Empty when there are none.
std::vector<const Cpu*> find_cpus(std::string_view name);

/// Returns up to `count` names of the catalogue nearest to a wrong one, nearest first.
std::vector<std::string> nearest_cpus(std::string_view name, size_t count);

}  // namespace analysis
