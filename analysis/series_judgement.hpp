// What one series of sittings says by itself, before it is held against how many others there are. Pure.
#pragma once
#include <vector>

#include "analysis/regression.hpp"

namespace analysis {

/// A verdict whose p-value is of this series alone.
struct SeriesJudgement {
  SeriesVerdict verdict;
  std::vector<double> distances;  ///< of older points from their level, in deviations
  double latest_distance = 0;     ///< of the newest commit, where that alone is suspected; else 0
  double lag_correlation = 0;     ///< estimated about the levels that were found
};

/// Judges one series. What is lower only as long as its sittings are taken for exchangeable is suspected.
SeriesJudgement judge_alone(const SpeedSeries& series, const RegressionRule& rule);

/// Judges one series of enough points whose sittings hang together as rule.change.correlation says.
SeriesJudgement judge_with(const SpeedSeries& series, const RegressionRule& rule);

}  // namespace analysis
