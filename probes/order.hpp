// Random orders that a document can repeat.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace probes {

/// Returns the seed cut to 53 bits: what every JSON reader keeps exactly. Orders are drawn from this, so that
/// the seed in a document gives the order again.
inline uint64_t recordable_seed(uint64_t seed) {
  return seed & ((uint64_t{1} << 53) - 1);
}

/// Returns the positions 0 … n − 1 in the order that the recordable part of the seed gives (Fisher and
/// Yates).
std::vector<size_t> shuffled_positions(size_t n, uint64_t seed);

}  // namespace probes
