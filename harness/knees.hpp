// Finds the edges of caches in a measured curve. Pure, so that whoever receives a submission finds the same
// ones.
#pragma once
#include <vector>

#include "harness/curve.hpp"
#include "harness/error.hpp"

namespace harness {

/// One edge between two levels of a curve.
struct Knee {
  /// Where the curve has lost half of the step, with an interval. `low` is the last size that still runs at
  /// the rate of the level before, `high` the first that runs at the rate of the level behind, each moved
  /// outwards to where 95 % of resampled curves have it.
  Interval edge_bytes;
  double slowdown_ratio = 1;  ///< > 1: how many times longer a unit of work lasts behind the edge
  double found_ratio = 0;     ///< share of resampled curves in which this edge was found
};

/// Returns the edges in ascending order, at least one; Unavailable with the reason when the curve cannot
/// tell: too few sizes or samples, flat, faster with size, or noise as large as its steps. An edge is left
/// out when the level behind it is not seen (the curve ends in the ramp) or resampled curves do not confirm
/// it.
///
/// Method: of each size the quartile of its faster samples is taken, and made monotone (monotone_fit). A
/// *level* is a run of sizes over an octave or more whose fitted values stay within 15 %; an *edge* is what
/// lies between two levels whose facing ends differ by 25 % or more. The last octave of the curve is a level,
/// too, when it changes by less than 32 % and than a quarter of the step before it. With noise the limits
/// grow, to 3 (15 %) and 5 times the scatter of values. Intervals come from 200 curves whose samples are
/// drawn with replacement (Efron 1979), from a fixed seed.
Reading<std::vector<Knee>> find_knees(const SampledCurve& curve, Quantity quantity);

}  // namespace harness
