// How much longer bytes take beside an antagonist, by the probe `interference`. Pure.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Time beside an antagonist ÷ time alone, by the size of the set that is read round and round.
struct Crowding {
  struct Point {
    double bytes = 0, time_ratio = 1, log_width = 0;
  };
  std::vector<Point> points;  ///< ascending in bytes; empty: nothing was measured, or nobody is there
};

/// Returns what was measured of an antagonist at a place; empty where it was not.
Crowding crowding(const harness::Submission& probed, const std::string& antagonist,
                  const std::string& placement);

/// Returns the point for a set of `bytes`: ratios on log-log axes between the measured sets, the ends beyond
/// them, and never below 1, since company helps nobody. 1 without points.
Crowding::Point crowding_at(const Crowding& crowding, double bytes);

}  // namespace analysis
