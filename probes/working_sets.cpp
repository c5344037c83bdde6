#include "probes/working_sets.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace probes {

std::vector<int64_t> working_sets(int64_t llc_bytes, int per_octave) {
  assert(per_octave >= 1 && llc_bytes >= 0);
  constexpr int64_t smallest_bytes = 4096;
  const int64_t largest_bytes = std::max<int64_t>(4 * llc_bytes, int64_t{64} << 20);
  std::vector<int64_t> sizes;
  for (int k = 0;; ++k) {
    const double exact = static_cast<double>(smallest_bytes) * std::exp2(static_cast<double>(k) / per_octave);
    const int64_t size = std::llround(exact / size_quantum_bytes) * size_quantum_bytes;
    if (size > largest_bytes) return sizes;
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
}

}  // namespace probes
