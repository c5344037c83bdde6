// What it costs several threads to wait for each other. Pure.
#pragma once
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// What a barrier costs behind which each thread reads so many bytes that all have written: how long it lasts
/// less what one thread alone takes to write and read them.
struct BarrierCost {
  std::vector<double> bytes, seconds;  ///< ascending; at least 0
  double log_width = 0;                ///< half of what holds one further sample (90 %), on the logarithm
};

/// Finds what the probe barrier has of so many threads, and of one, among the probe launches. Unavailable
/// with the reason.
harness::Reading<BarrierCost> barrier_cost(const harness::Submission& probed, int threads);

/// Returns the cost in seconds, between measured vectors on a straight line, beyond them as at the nearer
/// end.
double barrier_s(const BarrierCost& cost, double bytes);

}  // namespace analysis
