// What the probe kernel_rates says of experts that tokens draw from a pool. Pure.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace analysis {

/// How long the products of one expert take.
struct ExpertSpeed {
  /// Drawn uniformly for each token, while tokens last so long.
  struct Drawn {
    double token_s = 0, expert_s = 0;
  };
  double near_s = 0;         ///< visited by the token before, too
  double dram_s = 0;         ///< flushed; 0: not measured
  double streamed_s = 0;     ///< after a stream; 0: not measured
  std::vector<Drawn> drawn;  ///< by rising length of the token, one or more
  double log_width = 0;      ///< half of what holds one further sample (90 %), the widest of them

  /// How long one takes of which a cache serves the share `hits`.
  [[nodiscard]] double at_hits(double hits) const { return hits * near_s + (1 - hits) * dram_s; }
};

/// Finds the series of kernel_rates whose pool and experts are those of a shape. Unavailable with the reason.
harness::Reading<ExpertSpeed> expert_speed(const harness::Submission& probed, const std::string& isa,
                                           const models::Shape& shape);

/// One expert of a token that lasts token_s, and the share of its bytes that a cache serves: h of
/// time = h near + (1 − h) dram, within [0, 1]; 1 where dram was not measured.
struct ExpertTime {
  double seconds = 0, hit_ratio = 0;
};

/// How long an expert takes in tokens that last token_s:
///   uniform, none   the line through what was measured at two lengths of a token; beyond them, their ends
///   sticky:rho      rho near + (1 − rho) drawn(token_s ÷ (1 − rho)): so much rarer are draws from the pool
///   zipf:s          Che's approximation (expert_residency.hpp) for a cache that holds as much of the pool as
///                   uniform draws found there
/// Unavailable for the trace of a file, and for zipf where dram was not measured.
harness::Reading<ExpertTime> expert_time(const ExpertSpeed& speed, const models::Shape& shape,
                                         const std::string& routing, double token_s);

}  // namespace analysis
