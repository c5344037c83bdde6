// Launches as they scatter on real machines: what coverage and error rates are tried on. For tests only.
#pragma once
#include <cmath>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

/// Draws launches of log values 0: a launch sd of 2 %, and within it blocks with an sd of 1 % and a lag-1
/// correlation of 0.6 (AR(1)), as measured on virtual machines.
class LaunchModel {
 public:
  explicit LaunchModel(uint64_t seed) : generator_(seed) {}

  /// Returns the median over `blocks` blocks of each of so many launches; the truth is 1.
  std::vector<double> launch_medians(int launches, int blocks) {
    constexpr double launch_sd = 0.02, block_sd = 0.01, correlation = 0.6;
    const double fresh_sd = block_sd * std::sqrt(1 - correlation * correlation);
    std::vector<double> medians, block_values(static_cast<size_t>(blocks));
    for (int launch = 0; launch < launches; ++launch) {
      const double own = launch_sd * normal();
      double wander = block_sd * normal();
      for (double& value : block_values) {
        value = std::exp(own + wander);
        wander = correlation * wander + fresh_sd * normal();
      }
      medians.push_back(harness::median(block_values));
    }
    return medians;
  }

  /// Returns a standard normal number (Box & Muller 1958).
  double normal() {
    const double u = (static_cast<double>(generator_.next() >> 11) + 0.5) * 0x1p-53;
    const double v = static_cast<double>(generator_.next() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
  }

 private:
  harness::SplitMix64 generator_;
};

}  // namespace analysis
