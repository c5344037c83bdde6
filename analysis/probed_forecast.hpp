// What the curves and kernel rates of a machine's own probes say beyond its facts.
#pragma once
#include "analysis/fact_forecast.hpp"
#include "analysis/learnt_error.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace analysis {

/// Puts the forecasts that a document's curves make (make_forecasts, decode warm on the document's kernels at
/// the default positions) beside and in place of those of facts: dram_roof, cache_roof, curve, ecm. Where ecm
/// can say something it is the answer, and what serves, what limits and why the interval is that wide are
/// ecm's. `error` is how far ecm itself may be wrong; `threads` decode
/// together.
void use_probes(CoreForecast& forecast, const CoreFacts& core, const Work& work,
                const harness::Submission& probed, const models::Shape& shape,
                const harness::ModelError& error = model_error(), int threads = 1);

}  // namespace analysis
