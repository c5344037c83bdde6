// Tokens per second from the probes alone, before any decode runs. docs/forecasts.md gives the arithmetic.
#pragma once
#include <vector>

#include "analysis/ecm.hpp"
#include "analysis/learnt_error.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace analysis {

// A version changes whenever the same probes would give another figure.
inline constexpr const char* roofs_version = "2";  ///< of dram_roof, cache_roof and curve
inline constexpr const char* ecm_version = "5";
/// Had the same points for one thread and other intervals: what it was off by teaches, too.
inline constexpr const char* ecm_version_before = "4";

/// Makes all forecasts (`dram_roof`, `cache_roof`, `curve`, `ecm`) for one decode from the probe launches of
/// `probed`:
///   warm and concurrent modes   all four
///   evict_flush, evict_stream   dram_roof, curve at DRAM, and ecm
/// dram_roof: read bandwidth of DRAM ÷ weight bytes per token. cache_roof: read bandwidth of the smallest
/// cache whose *reported* size holds the weights, every expert's too, ÷ weight bytes per token (the argument
/// under test). curve: the measured read curve, interpolated on log-log axes at the working set (with the
/// whole pool of experts) ÷ weight bytes per token. ecm: analysis/ecm.hpp, widened by
/// `error`. Never reads a decode series. made_ns and made_utc are left for the caller.
std::vector<harness::Forecast> make_forecasts(const harness::Submission& probed, const models::Shape& shape,
                                              const harness::DecodeKey& key,
                                              const harness::ModelError& error = model_error());

}  // namespace analysis
