// Orders of values by chance, for permutation tests. Pure but for the generator's state.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

/// Returns 0, 1, … count − 1.
std::vector<size_t> in_order(size_t count);

/// Draws orders of values: all equally likely, or such that each value leans on the one before as in an AR(1)
/// process with this lag-1 correlation (the ranks of normal numbers that do). The values stay what they are.
class RandomOrders {
 public:
  RandomOrders(std::span<const double> values, double correlation, uint64_t seed);
  /// Returns the next order, indices into the values, until it is asked again.
  const std::vector<size_t>& next();

 private:
  double normal();

  harness::SplitMix64 random_;
  double correlation_;
  std::vector<size_t> order_, by_value_, place_;
  std::vector<double> drawn_;
};

}  // namespace analysis
