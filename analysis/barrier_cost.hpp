// What it costs several threads to wait for each other. Pure.
#pragma once
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// What a barrier costs behind which each thread reads so many bytes that all have written: how long it lasts
/// less what one thread alone takes to write and read them.
struct BarrierCost {
  std::vector<double> bytes, seconds;  ///< ascending; at least 0
  std::vector<double> widths_s;        ///< half of what holds one further sample (90 %) of the difference
};

/// Finds what the probe barrier has of so many threads, and of one, among the probe launches. Unavailable
/// with the reason.
harness::Reading<BarrierCost> barrier_cost(const harness::Submission& probed, int threads);

struct BarrierTime {
  double seconds = 0, width_s = 0;
};

/// Returns the cost and its width, between measured vectors on a straight line, beyond them as at the nearer
/// end.
BarrierTime barrier_time(const BarrierCost& cost, double bytes);

}  // namespace analysis
