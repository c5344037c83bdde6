// One pass of one arm: warm up, prefill, then time the tokens of the positions.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/clock.hpp"
#include "harness/counters.hpp"
#include "harness/submission.hpp"
#include "models/decoder.hpp"

namespace probes {

/// What all passes of a launch share.
struct PassSetup {
  models::Decoder& decoder;
  const harness::Plan& plan;
  harness::Clock clock;
  /// [max(position_first, 1)] seeded tokens: the prefill; without one the first is the token that decoding
  /// starts from.
  std::span<const uint32_t> prompt;
};

struct PassResult {
  /// [blocks]: Σ of the durations of a block's tokens. A duration spans one decoder step and the choice of
  /// the next token, not the eviction before it, and includes one reading of the clock.
  std::vector<int64_t> block_ns;
  harness::Disturbed disturbed;     ///< indices of blocks in this pass
  harness::Totals totals;           ///< from the first to the last timed position, evictions included
  harness::CounterValues counters;  ///< likewise
  uint64_t tokens_digest = 0;       ///< of the tokens chosen: every pass must choose the same
};

/// Runs a pass. `evict`, which may be empty, is called before each token of the warm-up and of the timed
/// positions, outside their durations. Positions between those of a list are decoded untimed.
PassResult run_pass(const PassSetup& setup, const std::function<void()>& evict, harness::Counters& counters);

}  // namespace probes
