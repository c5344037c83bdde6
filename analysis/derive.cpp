#include "analysis/derive.hpp"

#include <utility>

#include "analysis/ceilings.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/interference.hpp"
#include "analysis/probe_series.hpp"
#include "analysis/slowdown.hpp"

namespace analysis {

harness::DecodeKey decode_key(const harness::Plan& plan, const harness::Machine& machine,
                              const std::string& mode, const std::string& placement) {
  harness::DecodeKey key;
  key.model = plan.model;
  key.mode = mode;
  key.placement = placement;
  key.isa = plan.isa;
  key.arithmetic = plan.arithmetic;
  key.weights = plan.weights;
  key.routing = plan.routing;
  key.threads = plan.threads;
  key.page_bytes = plan.page_bytes;
  key.core_kind = measured_core_kind(machine);
  key.position_first = plan.position_first;
  key.position_last = plan.position_last;
  return key;
}

std::vector<harness::ForecastError> derive_forecast_errors(const std::vector<harness::Forecast>& forecasts,
                                                           const std::vector<harness::DecodeResult>& decode) {
  std::vector<harness::ForecastError> errors;
  for (const auto& forecast : forecasts) {
    const auto* expected = std::get_if<harness::Interval>(&forecast.tokens_per_s);
    if (!expected || expected->median <= 0) continue;
    for (const auto& result : decode) {
      // The A/A arm shares the key of warm; a forecast is judged once.
      if (result.arm == "aa" || result.key != forecast.key) continue;
      const double measured = result.tokens_per_s.median;
      errors.push_back({forecast.id, forecast.version, forecast.key, measured / expected->median,
                        measured >= expected->low && measured <= expected->high});
    }
  }
  return errors;
}

harness::Derived derive(const harness::Submission& submission) {
  harness::Derived derived;
  const auto arms = collect_arms(submission);
  derived.roofs = derive_roofs(submission, "probes");
  mark_invalid_roofs(submission, derived.roofs);
  derived.caches = derive_caches(submission);
  derived.retention = derive_retention(submission);
  derived.jumps = derive_jumps(submission);
  derived.decode = derive_decode(submission, arms, derived.roofs);
  derived.ratios = derive_ratios(arms);
  for (auto& ratio : derive_isa_ratios(submission, arms)) derived.ratios.push_back(std::move(ratio));
  mark_invalid_decode(derived.ratios, derived.decode);
  derived.slowdowns = derive_slowdowns(submission, arms, derived.ratios);
  derived.interference = derive_interference(submission);
  derived.forecast_errors = derive_forecast_errors(submission.forecasts, derived.decode);
  derived.flags = derive_flags(submission, arms, derived.ratios);
  flag_invalid(derived);
  flag_capacities(derived.caches, derived.flags);
  flag_retouch(derived.retention, derived.decode, derived.flags);
  return derived;
}

}  // namespace analysis
