// Series of sittings that hang together in time, with nothing planted, or one step or hump: for tests and for
// script/prove-regress. docs/regressions.md tells every parameter.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/regression.hpp"

namespace cli {

/// How the sittings of one series lean on each other, and what is planted in them.
struct DriftPlan {
  size_t sittings = 71;
  double correlation = 0;     ///< of each with the one before (AR(1))
  double deviation = 0.02;    ///< of what is new in each, logarithm
  double wave_ratio = 0;      ///< amplitude of a slow sinus, logarithm
  double wave_sittings = 40;  ///< its period
  double slower = 0;  ///< planted: what is lost, from a place at least ten sittings from either end on
  double hump = 0;    ///< planted: what is won for 10 to 20 sittings, and lost again
  uint64_t seed = 1;
};

/// Makes one series of one machine; a seed always makes the same.
analysis::SpeedSeries drifting_series(const DriftPlan& plan);

}  // namespace cli
