#include "analysis/jump_cost.hpp"

#include <algorithm>

#include "analysis/probe_series.hpp"

namespace analysis {
namespace {

int64_t pool_of(const harness::Series& series) {
  const auto found = series.params.find("pool_bytes");
  const auto* bytes = found == series.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return bytes ? *bytes : 0;
}

const harness::Series* chunks_from_memory(const harness::Submission& probed) {
  const harness::Series* best = nullptr;
  for (const auto& launch : probed.launches) {
    if (launch.purpose != "probes") continue;
    for (const auto& series : launch.series) {
      if (series.probe != "chunked_stream" || series.status != harness::Status::ok) continue;
      if (!best || pool_of(series) > pool_of(*best)) best = &series;
    }
  }
  return best;
}

}  // namespace

double jump_seconds(const harness::Submission& probed, double bytes) {
  const harness::Series* chunks = chunks_from_memory(probed);
  const auto stream = find_curve(probed, "probes", "dram_stream", harness::Spread::of_median_95);
  if (!chunks || bytes <= 0 || !available(stream)) return 0;
  const auto curve =
      harness::make_curve(chunks->sizes_bytes, chunks->work_per_sample, chunks->samples_by_size,
                          harness::Quantity::per_second, harness::Spread::of_median_95);
  if (!available(curve)) return 0;
  const double chunked = harness::read_at(std::get<harness::Curve>(curve), bytes).value.median;
  return std::max(bytes / chunked - bytes / std::get<harness::Curve>(stream).values.back(), 0.0);
}

}  // namespace analysis
