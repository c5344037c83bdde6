// load_bandwidth: how many bytes per second a core reads from a working set, or stores, copies and adds in
// it, round and round.
#include <fmt/format.h>

#include "harness/topology.hpp"
#include "probes/core_team.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/sweep.hpp"
#include "probes/team_stream.hpp"

namespace probes {
namespace {

/// Several threads at once, on a set that their own L2s together cannot hold and their last-level caches do.
harness::Series run_team(const ProbeContext& context) {
  const int threads = context.variant.threads;
  if (!context.sizes_bytes.empty())
    throw harness::Error(
        harness::ExitCode::usage,
        "load_bandwidth: several threads read half of the last-level cache; leave out --size");
  std::vector<int> pus = one_pu_per_core(context.topology);
  if (pus.size() < static_cast<size_t>(threads))
    return unavailable_series("load_bandwidth", fmt::format("{} threads need a core each, and {} may be used",
                                                            threads, pus.size()));
  pus.resize(static_cast<size_t>(threads));
  const int64_t bytes = llc_total_bytes(context.topology, pus) / 2;
  const harness::Cache* l2 = harness::find_cache(context.topology, 2, pus.front());
  const harness::Cache* l3 = harness::find_cache(context.topology, 3, pus.front());
  if (l3 == nullptr || l2 == nullptr || bytes / threads < 2 * static_cast<int64_t>(l2->bytes))
    return unavailable_series(
        "load_bandwidth",
        fmt::format("half of the last-level cache is less than twice the second-level caches of {} threads",
                    threads));
  if (bytes > memory_budget_bytes())
    return unavailable_series("load_bandwidth", fmt::format("{} bytes may not be taken here", bytes));
  harness::Series series = team_stream("load_bandwidth", context, bytes, pus);
  series.params["threads"] = int64_t{threads};
  return series;
}

harness::Series run(const ProbeContext& context) {
  if (context.variant.threads > 1) return run_team(context);
  const auto sizes = sweep_sizes(context, memory_budget_bytes());
  if (!harness::available(sizes)) {
    return unavailable_series("load_bandwidth", std::get<harness::Unavailable>(sizes).reason);
  }
  return stream_sweep("load_bandwidth", context, std::get<std::vector<int64_t>>(sizes));
}

std::vector<Variant> variants(const ProbeContext& context) {
  std::vector<Variant> listed(5);
  listed[1].pages = "small";
  listed[2].operation = "store";
  listed[3].operation = "copy";
  listed[4].operation = "triad";
  const auto cores = static_cast<int>(one_pu_per_core(context.topology).size());
  if (cores > 1) listed.emplace_back().threads = cores;
  return listed;
}

}  // namespace

extern const Probe load_bandwidth_probe;
const Probe load_bandwidth_probe{
    "load_bandwidth",
    "bandwidth over working-set sizes: read, store, copy, triad (widest vectors)",
    true,
    run,
    "operation pages threads",
    variants,
    3,
    true};

}  // namespace probes
