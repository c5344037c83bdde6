// The steps of derive(), in their order. Each is pure and reads only what it is given.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// What one arm did in one launch.
struct ArmLaunch {
  size_t launch = 0;  ///< index into submission.launches
  int round = 0;
  double tokens_per_s = 0;                 ///< tokens ÷ Σ durations, both passes
  double block_median_ns = 0;              ///< median over blocks of ns per token
  std::vector<double> block_ns_per_token;  ///< in acquisition order
};

/// What one arm of one plan did over all launches that gave it a speed.
struct ArmRecord {
  size_t plan = 0;  ///< index into submission.plans
  std::string arm;
  harness::DecodeKey key;
  std::vector<ArmLaunch> launches;
};

/// Returns how many blocks one pass over a plan's positions has, and how many tokens block `index` of it
/// times. 0 when the plan times nothing.
int64_t blocks_per_pass(const harness::Plan& plan);
int64_t tokens_in_block(const harness::Plan& plan, int64_t index);

/// Collects the ok decode series, by plan and then by the plan's order of arms. Arms without a single one are
/// left out.
std::vector<ArmRecord> collect_arms(const harness::Submission& submission);

/// Of each reported cache two estimates: the edge nearest to it in load_bandwidth, then in load_latency
/// (harness/knees.hpp). An edge belongs to the level whose reported size is nearest, within a quarter and
/// four times.
std::vector<harness::CacheEstimate> derive_caches(const harness::Submission& submission);
/// Of each series of chunked_stream what it costs to begin a chunk (harness/jump_cost.hpp).
std::vector<harness::JumpEstimate> derive_jumps(const harness::Submission& submission);
std::vector<harness::DecodeResult> derive_decode(const harness::Submission& submission,
                                                 const std::vector<ArmRecord>& arms,
                                                 const std::vector<harness::Roof>& roofs);
/// Ratios to the arm `warm` of the same launches; arms without such launches are left out.
std::vector<harness::ArmRatio> derive_ratios(const std::vector<ArmRecord>& arms);
/// Of plans that differ in their ISA, their threads or their pages alone the first's warm speed ÷ each
/// other's, over the rounds that both have: "ISA/ISA", "2_threads/1_thread", "huge_pages/small_pages". A pair
/// without a common round is left out.
std::vector<harness::ArmRatio> derive_isa_ratios(const harness::Submission& submission,
                                                 const std::vector<ArmRecord>& arms);
std::vector<harness::ForecastError> derive_forecast_errors(const std::vector<harness::Forecast>& forecasts,
                                                           const std::vector<harness::DecodeResult>& decode);
std::vector<harness::Flag> derive_flags(const harness::Submission& submission,
                                        const std::vector<ArmRecord>& arms,
                                        const std::vector<harness::ArmRatio>& ratios);

/// Adds a flag for each level whose read roof moved between the probes and later looks, and one for each
/// number of threads whose barriers did.
void flag_roofs(const harness::Submission& submission, std::vector<harness::Flag>& flags);

/// Adds what weakens evictions: arms that were not evicted, counters that contradict timed lines.
/// Says why the antagonist of a decode series hardly ran, "" when it did or there is none.
std::string starvation(const harness::Series& series);
void flag_evictions(const harness::Submission& submission, std::vector<harness::Flag>& flags);

/// Of each set that the probe `retention` left alone its half-life by two methods: by the lines that its
/// meter saw, then by the laps alone. Empty when the probe has not run; estimates that cannot tell say why.
std::vector<harness::RetentionEstimate> derive_retention(const harness::Submission& submission);
/// Adds a flag for each level whose two capacities have intervals that do not meet.
void flag_capacities(const std::vector<harness::CacheEstimate>& caches, std::vector<harness::Flag>& flags);
/// Adds a flag for each warm arm whose weights are read again too slowly to stay (harness/retention.hpp).
void flag_retouch(const std::vector<harness::RetentionEstimate>& retention,
                  const std::vector<harness::DecodeResult>& decode, std::vector<harness::Flag>& flags);

/// Lag-1 autocorrelation of log block times within launches, after taking out each block's own mean over
/// launches and passes (positions differ in cost) and each launch's own mean. 0 when there is too little to
/// tell.
double lag1_correlation(const ArmRecord& arm, int64_t blocks);

}  // namespace analysis
