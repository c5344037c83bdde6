#include "analysis/jump_cost.hpp"

#include <algorithm>

#include "analysis/derive_parts.hpp"

namespace analysis {

double jump_seconds(const harness::Submission& probed) {
  double jump_ns = 0;
  int64_t largest_bytes = 0;
  for (const harness::JumpEstimate& jump : derive_jumps(probed)) {
    const auto* fitted = std::get_if<harness::Interval>(&jump.jump_ns);
    if (!fitted || jump.pool_bytes <= largest_bytes) continue;
    largest_bytes = jump.pool_bytes;
    jump_ns = fitted->median;
  }
  return std::max(jump_ns, 0.0) * 1e-9;
}

}  // namespace analysis
