// How many of the experts that a token visits lie in a cache that holds some of them. Pure.
#pragma once
#include <string>

#include "harness/error.hpp"

namespace analysis {

/// What experts are drawn from. All bytes count those of every block.
struct ExpertPool {
  double dense_bytes = 0;  ///< what every token reads besides: it keeps its place in the cache
  double pool_bytes = 0;   ///< all experts
  double token_bytes = 0;  ///< the experts of one token
  int experts = 0, top_k = 0;
};

/// Returns the share h of expert bytes that a cache of C bytes with least-recently-used replacement serves,
/// D dense and P pool bytes (none when C does not hold D and a token's experts, 1 when it holds D + P):
///   uniform, none   (C − D) / P
///   sticky:rho      rho + (1 − rho)(C − D) / P
///   zipf:s          Che's approximation (Che, Tung, Wang, IEEE JSAC 20(7), 2002): with q_e the probability
///                   that a token visits expert e, T such that Σ (1 − (1 − q_e)^T) of all bytes are C − D;
///                   h = Σ q_e (1 − (1 − q_e)^T) ÷ Σ q_e
/// A cache that others use, too, loses lines that nobody touches: `kept` is the share that is left after a
/// token's time (1: all). An expert visited with probability p by each token was last visited j tokens ago
/// with probability p (1 − p)^(j − 1), and kept^j of it are left: Σ over j up to the T that the cache reaches
/// back, (1 − p)^T = 1 − h.
/// A model's own router is taken as uniform. Unavailable for the traces of a file.
harness::Reading<double> expert_hit_ratio(const ExpertPool& pool, double cache_bytes,
                                          const std::string& routing, double kept = 1);

}  // namespace analysis
