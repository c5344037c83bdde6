#include "probes/order.hpp"

#include <numeric>
#include <utility>

#include "harness/statistics.hpp"

namespace probes {

std::vector<size_t> shuffled_positions(size_t n, uint64_t seed) {
  std::vector<size_t> positions(n);
  std::iota(positions.begin(), positions.end(), size_t{0});
  harness::SplitMix64 random(recordable_seed(seed));
  for (size_t i = n; i > 1; --i) std::swap(positions[i - 1], positions[random.below(i)]);
  return positions;
}

}  // namespace probes
