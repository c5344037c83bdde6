// Which level of memory serves the bytes that a token reads. Pure.
#pragma once
#include <string>
#include <vector>

#include "harness/curve.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Shares of bytes, each in [0, 1], together 1. L1 counts as L2: weights that fit it are no model's.
struct LevelShares {
  double l2 = 0, l3 = 0, dram = 0;
};
inline constexpr LevelShares all_from_dram{0, 0, 1};

/// A level as the read curve shows it, from the nearest outwards; the last is dram.
struct ServingLevel {
  std::string level;
  double inside_bytes = 0;  ///< a working set that surely lies in it; dram: the largest measured
  double read_bytes_per_s = 0;
  /// Where half of a cyclic read comes from the next level, but no more than the reported size, or half of
  /// that where it is more than twice as large; dram: infinite.
  double holds_bytes = 0;
};

/// Returns l2, l3 where reported, and dram, read off the curve that a monotone fit makes fall. Unavailable
/// without a second-level cache or when the curve does not reach beyond the last cache.
harness::Reading<std::vector<ServingLevel>> serving_levels(const harness::Machine& machine,
                                                           const harness::Curve& read_curve);

/// Returns what serves a cyclic read of `bytes`: between two neighbouring levels of bandwidths A > B the
/// share of the farther one is (1/BW(bytes) − 1/A) ÷ (1/B − 1/A), which says of any replacement what it comes
/// to.
LevelShares cyclic_shares(const std::vector<ServingLevel>& levels, const harness::Curve& read_curve,
                          double bytes);

/// Returns which share of the last cache's hits is left to a cyclic read of `bytes` when others use the
/// cache, too, so that it takes time_ratio (≥ 1) times as long: misses in their place explain all of that. 1
/// where the last cache is no faster than memory.
double hits_left(const std::vector<ServingLevel>& levels, const harness::Curve& read_curve, double bytes,
                 double time_ratio);

}  // namespace analysis
