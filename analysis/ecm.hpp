// The forecast `ecm`: a token's time as the sum of its kernels', each at the speed of the level that serves
// it. docs/forecasts.md gives the arithmetic.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/level_shares.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace analysis {

/// What ecm made of one decode: seconds per token of its parts, and what serves it.
struct EcmForecast {
  struct Part {
    std::string name;
    double seconds = 0;
  };
  std::vector<Part> parts;  ///< weights, experts, attention, vectors, barriers, jumps, first calls, addresses
  double seconds = 0;
  double log_width = 0;  ///< of the probes' spread alone, 90 %
  LevelShares dense, experts;
  double constant_from_bytes =
      0;                        ///< the last-level cache from which experts run at one speed; 0: no experts
  double last_cache_bytes = 0;  ///< what this machine's holds
};

/// Forecasts from the probes of a submission: served_bytes.hpp says what serves each mode. Of several threads
/// the one that has most to do counts, levels that they share give no more than what they streamed from them
/// together, and each barrier costs what the probe of that name says. Unavailable with the reason for float
/// arithmetic, and for what kernel_rates, load_bandwidth, a team's stream or the topology do not tell.
harness::Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                           const harness::DecodeKey& key);

/// Returns tokens per second with the 90 % interval of both widths.
harness::Interval tokens_per_s(const EcmForecast& forecast, const harness::ModelError& error);
/// What it says of experts; nullopt without experts and where none is looked for in a cache.
std::optional<harness::ExpertForecast> of_experts(const EcmForecast& forecast);

}  // namespace analysis
