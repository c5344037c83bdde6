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

/// The width of ecm's own error where no stored submission tells of it: a standard deviation of 10 % on
/// logarithms, held to be worth four submissions.
inline constexpr double prior_log_error = 0.10;
inline constexpr int prior_submissions = 4;

/// Returns the model error from the errors ln(measured ÷ forecast) of other submissions, each the root mean
/// square of one submission's: s² = (4 · 0.10² + Σ e²) ÷ (4 + n), width = exp(t(0.95; 4 + n) · s).
harness::ModelError model_error(const std::vector<double>& submission_log_errors);

/// What ecm made of one decode: seconds per token of its parts, and what serves it.
struct EcmForecast {
  struct Part {
    std::string name;
    double seconds = 0;
  };
  std::vector<Part> parts;  ///< weights, experts, attention, vectors, jumps
  double seconds = 0;
  double log_width = 0;  ///< of the probes' spread alone, 90 %
  LevelShares dense, experts;
  double constant_from_bytes =
      0;                        ///< the last-level cache from which experts run at one speed; 0: no experts
  double last_cache_bytes = 0;  ///< what this machine's holds
};

/// Forecasts from the probes of a submission. Modes evict_flush and evict_stream read all weights from dram
/// and, the latter, K and V; all others as warm. Unavailable with the reason for float arithmetic, several
/// threads, and what kernel_rates, load_bandwidth or the topology do not tell.
harness::Reading<EcmForecast> ecm_forecast(const harness::Submission& probed, const models::Shape& shape,
                                           const harness::DecodeKey& key);

/// Returns tokens per second with the 90 % interval of both widths.
harness::Reading<harness::Interval> ecm_tokens_per_s(const harness::Submission& probed,
                                                     const models::Shape& shape,
                                                     const harness::DecodeKey& key,
                                                     const harness::ModelError& error);

}  // namespace analysis
