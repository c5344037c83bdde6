// Finds levels and the steps between them in one curve, as it is: what noise makes of them is knees' matter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness {

inline constexpr double step_logs = 0.223;  ///< ln 1.25: what levels differ by at least

/// A curve as logarithms: sizes to base 2 (octaves), fitted ns per unit of work natural, never falling.
struct Slowness {
  std::vector<int64_t> sizes_bytes;
  std::vector<double> octaves, logs;
};

/// What lies between two levels: `low` is the last size at the rate before it, `high` the first at the rate
/// behind.
struct Step {
  double low_bytes = 0, edge_bytes = 0, high_bytes = 0, logs = 0;
};

/// Returns the steps in ascending order. `noise` is how far the curve's values scatter, on logs; find_knees
/// says how it widens what counts as a level and as a step.
std::vector<Step> find_steps(const Slowness& curve, double noise);

}  // namespace harness
