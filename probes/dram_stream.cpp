// dram_stream: how many bytes per second one core, and all of them together, move to and from memory that no
// cache can hold.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/topology.hpp"
#include "probes/core_team.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/sweep.hpp"
#include "probes/team_stream.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

constexpr int64_t min_bytes = int64_t{256} << 20;
/// STREAM's rule (McCalpin, "each array must be at least four times the size of the last-level cache").
constexpr int64_t caches_worth = 4;

harness::Series run(const ProbeContext& context) {
  const int threads = context.variant.threads;
  std::vector<int> pus;
  int64_t llc_bytes = 0;
  if (threads == 1) {
    const harness::Cache* llc = harness::last_level_cache(context.topology);
    llc_bytes = llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes);
  } else {
    pus = one_pu_per_core(context.topology);
    if (pus.size() < static_cast<size_t>(threads)) {
      return unavailable_series(
          "dram_stream", fmt::format("{} threads need a core each, and {} may be used", threads, pus.size()));
    }
    pus.resize(static_cast<size_t>(threads));
    llc_bytes = llc_total_bytes(context.topology, pus);
  }
  const int64_t wanted_bytes = std::max(caches_worth * llc_bytes, min_bytes);
  const int64_t bytes =
      std::min(wanted_bytes, memory_budget_bytes()) / size_quantum_bytes * size_quantum_bytes;
  if (bytes < std::max<int64_t>(2 * llc_bytes, size_quantum_bytes)) {
    return unavailable_series(
        "dram_stream",
        fmt::format("{} bytes may be taken here, less than twice the last-level cache of {} bytes", bytes,
                    llc_bytes));
  }
  harness::Series series = threads == 1 ? stream_sweep("dram_stream", context, {bytes})
                                        : team_stream("dram_stream", context, bytes, pus);
  series.params["wanted_bytes"] = wanted_bytes;
  series.params["threads"] = int64_t{threads};
  return series;
}

/// Every operation on one core and, where there are more, on one thread of each.
std::vector<Variant> variants(const ProbeContext& context) {
  std::vector<Variant> listed;
  const int cores = static_cast<int>(one_pu_per_core(context.topology).size());
  for (const int threads : std::set<int>{1, std::max(cores, 1)}) {
    for (const char* operation : {"read", "store", "store_nt", "copy", "triad"}) {
      Variant variant;
      variant.operation = operation;
      variant.threads = threads;
      listed.push_back(variant);
    }
  }
  return listed;
}

}  // namespace

extern const Probe dram_stream_probe;
const Probe dram_stream_probe{
    "dram_stream",
    "bandwidth of memory beyond every cache: read, store, copy, triad; one core, all",
    false,
    run,
    "operation pages threads",
    variants,
    1,
    false};

}  // namespace probes
