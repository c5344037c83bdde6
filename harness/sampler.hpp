// Takes samples of a body: warms up, then times, and records what disturbed it.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/clock.hpp"
#include "harness/disturbance.hpp"

namespace harness {

struct SamplerOptions {
  int samples = 5;
  int64_t min_sample_ns = 200'000;     ///< a sample repeats the body until it lasts at least this long …
  int64_t max_warmup_ns = 50'000'000;  ///< warm-up ends when two laps agree within 2 %, or after this
  int64_t max_repeats = 1 << 20;
};

struct Samples {
  int64_t repeats = 0;                ///< body calls per sample, the same for every sample
  std::vector<int64_t> durations_ns;  ///< one per sample, in acquisition order; nothing is discarded
  Disturbance disturbance;            ///< over all samples
  std::vector<int>
      switched;  ///< indices of samples during which this thread was switched out against its will
};

/// Times `body(repeats)`, which must do its work `repeats` times. The repeat count is found during the
/// warm-up. System calls that record disturbances lie outside the timed part; the cost of reading the clock
/// is not subtracted.
Samples sample(const Clock& clock, const SamplerOptions& options, const std::function<void(int64_t)>& body);

}  // namespace harness
