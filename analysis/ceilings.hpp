// What a core cannot do, whatever it is told to have done: upper and lower bounds from the document's own
// clock, vectors, lines and curves. A figure beyond its bound is invalid, and the sum is shown.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Returns the highest rate among all samples of all core_clock series in Hz, or 0 without one.
double highest_clock_hz(const harness::Submission& submission);

/// Returns the instruction set of the read streams, or "" when the document does not tell.
std::string stream_isa(const harness::Submission& submission);

/// A bound with the sum that gives it.
struct Bound {
  double value = 0;  ///< 0: no bound is known
  std::string sum;   ///< "2 loads × 64 bytes × 2.9e+09 Hz × 1.05 = 3.9e+11 bytes/s"
};

/// Returns what `threads` cores can load: load ports × vector of the instruction set × clock × 1.05. Ports: 3
/// up to 32 bytes, 2 of 64 bytes, the most that any core has (Golden Cove, load bandwidth: Intel 64 and IA-32
/// Architectures Optimization Reference Manual).
Bound load_bound(const std::string& isa, double clock_hz, int threads);

/// Returns what `threads` cores can get from a private L2: one line per cycle each × clock × 1.05. No core of
/// today moves more than a line of 64 bytes per cycle between L2 and L1 (same manual; Software Optimization
/// Guide for AMD Family 1Ah).
Bound l2_bound(int line_bytes, double clock_hz, int threads);

/// Sets `invalid` of every roof that breaks a bound: reads above load_bound (L1 and any other level) or, at
/// L2, above l2_bound; a read that a larger level's beats, or a latency that a larger level's undercuts, with
/// intervals apart; a curve that at the roof's size lies off its monotone fit by more than noise.
void mark_invalid_roofs(const harness::Submission& submission, std::vector<harness::Roof>& roofs);

/// Sets `invalid` of every evicted decode result that is faster than warm by more than noise (the interval of
/// its ratio to warm lies above 1.02): eviction is a lower bound of speed. Or whose eviction the probe
/// `eviction` did not see to evict.
void mark_invalid_decode(const std::vector<harness::ArmRatio>& ratios,
                         std::vector<harness::DecodeResult>& results);

/// Adds the flag figure_invalid when a roof or a decode result is invalid.
void flag_invalid(harness::Derived& derived);

}  // namespace analysis
