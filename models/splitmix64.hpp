// Counter-based random numbers: the same on every compiler, and any element without the ones before it.
#pragma once
#include <cstdint>

namespace models {

/// Returns output number `index` of SplitMix64 seeded with `seed`. Source: Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014 (constants: variant 13 of Stafford's mixers).
constexpr uint64_t splitmix64(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace models
