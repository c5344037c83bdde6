// How wide the interval of a forecast from facts is, and which facts make it so.
#pragma once
#include <vector>

#include "analysis/core_time.hpp"

namespace analysis {

/// How much a fact adds to the interval.
struct Contribution {
  std::string fact;  ///< "read rate of l3", "usable size of l2", "multiply-adds", …
  double share = 0;  ///< of the variance on logarithms; all add up to 1
  double spread = 1;
  bool verified = true;
  std::string source, narrow;  ///< narrow: what to run on that machine to know it better
};

/// Moves each fact to both ends of its interval and sees what that does to the time: `share` of each is the
/// square of its half width on logarithms. Needs that no fact is missing.
std::vector<Contribution> squares_of(const CoreFacts& core, const Work& work);

double sum_of_shares(const std::vector<Contribution>& contributions);

/// Turns squares into shares that add up to 1, the largest first, without those that round to 0 %.
std::vector<Contribution> as_shares(std::vector<Contribution> squares);

}  // namespace analysis
