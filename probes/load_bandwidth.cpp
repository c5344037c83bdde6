// load_bandwidth: how many bytes per second a core loads from a working set that it reads round and round.
#include "harness/buffer.hpp"
#include "probes/memory_budget.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/probe.hpp"
#include "probes/read_sweep.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

harness::Series run(const ProbeContext& context) {
  const auto sizes = sweep_sizes(context, memory_budget_bytes());
  if (!harness::available(sizes)) {
    return unavailable_series("load_bandwidth", std::get<harness::Unavailable>(sizes).reason);
  }
  const auto& sizes_bytes = std::get<std::vector<int64_t>>(sizes);
  const auto taken = take_buffer(sizes_bytes.back(), context.variant.pages, context.seed);
  if (!harness::available(taken))
    return unavailable_series("load_bandwidth", std::get<harness::Unavailable>(taken).reason);
  return read_sweep("load_bandwidth", context, sizes_bytes, std::get<harness::Buffer>(taken));
}

std::vector<Variant> variants(const ProbeContext&) {
  std::vector<Variant> listed(2);
  listed[1].pages = "small";
  return listed;
}

}  // namespace

extern const Probe load_bandwidth_probe;
const Probe load_bandwidth_probe{"load_bandwidth",
                                 "read bandwidth over working-set sizes (widest vectors)",
                                 true,
                                 run,
                                 "pages",
                                 variants,
                                 3,
                                 true};

}  // namespace probes
