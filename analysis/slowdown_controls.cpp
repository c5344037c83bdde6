#include "analysis/slowdown_controls.hpp"

#include <algorithm>
#include <vector>

#include "analysis/probe_series.hpp"
#include "harness/statistics.hpp"

namespace analysis {

using harness::Submission;

namespace {

/// Returns the plan with controls that a key belongs to.
std::optional<size_t> plan_of(const Submission& submission, const harness::DecodeKey& key) {
  for (size_t i = 0; i < submission.plans.size(); ++i) {
    const harness::Plan& plan = submission.plans[i];
    if (has_control(plan) && plan.model == key.model && plan.isa == key.isa &&
        plan.arithmetic == key.arithmetic && plan.weights == key.weights && plan.routing == key.routing &&
        plan.threads == key.threads && plan.page_bytes == key.page_bytes)
      return i;
  }
  return std::nullopt;
}

}  // namespace

bool has_control(const harness::Plan& plan) {
  return std::any_of(plan.arms.begin(), plan.arms.end(), [](const std::string& arm) {
    return arm == "spin" || arm == "own_l1" || arm == "stream_llc" || arm == "stream_dram";
  });
}

double plan_weight_bytes(const Submission& submission, size_t plan) {
  for (const auto& launch : submission.launches) {
    if (launch.plan != static_cast<int>(plan)) continue;
    for (const auto& series : launch.series) {
      const auto found = series.params.find("flush_bytes");
      const auto* bytes = found == series.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
      if (bytes != nullptr) return static_cast<double>(*bytes);
    }
  }
  return static_cast<double>(submission.plans[plan].weight_bytes_per_token);
}

bool evicts_shared_l2(const Submission& submission, const harness::DecodeKey& key) {
  const harness::Machine& machine = submission.machine;
  const harness::Cache* l2 = level_cache(machine, 2);
  const int threads_per_core = machine.cores > 0 ? machine.threads / machine.cores : 1;
  const bool in_cluster =
      key.placement == "same_llc" && l2 != nullptr && l2->shared_by_pus > threads_per_core;
  if (key.placement != "sibling" && !in_cluster) return false;
  const auto plan = plan_of(submission, key);
  return l2 == nullptr || !plan || plan_weight_bytes(submission, *plan) < 2 * static_cast<double>(l2->bytes);
}

std::optional<double> spin_clock_ratio(const Submission& submission, const harness::DecodeKey& key) {
  const auto plan = plan_of(submission, key);
  if (!plan) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& launch : submission.launches) {
    if (launch.plan != static_cast<int>(*plan)) continue;
    double warm_hz = 0, spin_hz = 0;
    for (const auto& series : launch.series) {
      if (series.arm == "warm") warm_hz = static_cast<double>(series.totals.core_clock_high_hz);
      if (series.arm == "spin") spin_hz = static_cast<double>(series.totals.core_clock_high_hz);
    }
    if (warm_hz > 0 && spin_hz > 0) ratios.push_back(spin_hz / warm_hz);
  }
  if (ratios.empty()) return std::nullopt;
  return harness::median(ratios);
}

}  // namespace analysis
