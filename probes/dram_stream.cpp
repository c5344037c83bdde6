// dram_stream: how many bytes per second one core reads from memory that no cache can hold.
#include <fmt/format.h>

#include <algorithm>

#include "harness/buffer.hpp"
#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"
#include "probes/probe.hpp"
#include "probes/read_sweep.hpp"
#include "probes/sweep.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

constexpr int64_t min_bytes = int64_t{256} << 20;
/// STREAM's rule (McCalpin, "each array must be at least four times the size of the last-level cache").
constexpr int64_t caches_worth = 4;

harness::Series run(const ProbeContext& context) {
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  const int64_t llc_bytes = llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes);
  const int64_t wanted_bytes = std::max(caches_worth * llc_bytes, min_bytes);
  const int64_t bytes =
      std::min(wanted_bytes, memory_budget_bytes()) / size_quantum_bytes * size_quantum_bytes;
  if (bytes < std::max<int64_t>(2 * llc_bytes, size_quantum_bytes)) {
    return unavailable_series(
        "dram_stream",
        fmt::format("{} bytes may be taken here, less than twice the last-level cache of {} bytes", bytes,
                    llc_bytes));
  }
  const harness::Buffer buffer(static_cast<size_t>(bytes), harness::Pages::huge, context.seed);
  harness::Series series = read_sweep("dram_stream", context, {bytes}, buffer);
  series.params["wanted_bytes"] = wanted_bytes;
  series.params["threads"] = int64_t{1};
  return series;
}

}  // namespace

extern const Probe dram_stream_probe;
const Probe dram_stream_probe{
    "dram_stream", "read bandwidth of memory beyond every cache, one core", false, run, "", nullptr, 1,
    false};

}  // namespace probes
