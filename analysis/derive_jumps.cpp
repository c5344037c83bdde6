#include "analysis/derive_parts.hpp"
#include "analysis/probe_series.hpp"
#include "harness/jump_cost.hpp"

namespace analysis {
namespace {

harness::JumpEstimate estimate_of(const harness::Series& series, const harness::Machine& machine) {
  harness::JumpEstimate estimate;
  estimate.pool_bytes = integer_param(series, "pool_bytes", 0);
  estimate.core_kind = measured_core_kind(machine);
  estimate.page_bytes = series_page_bytes(series, machine.page_bytes);
  const auto cost =
      harness::fit_jump_cost(series.sizes_bytes, series.work_per_sample, series.samples_by_size);
  if (const auto* why = std::get_if<harness::Unavailable>(&cost)) {
    estimate.jump_ns = estimate.read_bytes_per_s = *why;
    estimate.misfit_ratio = *why;
    return estimate;
  }
  const auto& fitted = std::get<harness::JumpCost>(cost);
  estimate.jump_ns = fitted.jump_ns;
  estimate.read_bytes_per_s = fitted.read_bytes_per_s;
  estimate.misfit_ratio = fitted.misfit_ratio;
  return estimate;
}

}  // namespace

std::vector<harness::JumpEstimate> derive_jumps(const harness::Submission& submission) {
  std::vector<harness::JumpEstimate> estimates;
  for (const auto& launch : submission.launches) {
    if (launch.purpose != "probes") continue;
    for (const auto& series : launch.series) {
      // A pool of no size is none that the probe makes.
      if (series.probe != "chunked_stream" || series.status != harness::Status::ok ||
          integer_param(series, "pool_bytes", 0) <= 0)
        continue;
      estimates.push_back(estimate_of(series, submission.machine));
    }
  }
  return estimates;
}

}  // namespace analysis
