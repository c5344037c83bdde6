// load_bandwidth: how many bytes per second a core reads from a working set, or stores, copies and adds in
// it, round and round.
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

harness::Series run(const ProbeContext& context) {
  const auto sizes = sweep_sizes(context, memory_budget_bytes());
  if (!harness::available(sizes)) {
    return unavailable_series("load_bandwidth", std::get<harness::Unavailable>(sizes).reason);
  }
  return stream_sweep("load_bandwidth", context, std::get<std::vector<int64_t>>(sizes));
}

std::vector<Variant> variants(const ProbeContext&) {
  std::vector<Variant> listed(5);
  listed[1].pages = "small";
  listed[2].operation = "store";
  listed[3].operation = "copy";
  listed[4].operation = "triad";
  return listed;
}

}  // namespace

extern const Probe load_bandwidth_probe;
const Probe load_bandwidth_probe{
    "load_bandwidth",
    "bandwidth over working-set sizes: read, store, copy, triad (widest vectors)",
    true,
    run,
    "operation pages",
    variants,
    3,
    true};

}  // namespace probes
