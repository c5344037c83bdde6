// Which working-set sizes a curve is measured at. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace probes {

/// Sizes are multiples of this: what one turn of a read stream takes.
inline constexpr int64_t size_quantum_bytes = 512;

/// Returns the working-set sizes of a curve: `per_octave` (≥ 1) sizes per doubling from 4 KiB to
/// max(4 × LLC, 64 MiB), each a multiple of 512 bytes, ascending. `llc_bytes` 0 means no known last-level
/// cache.
std::vector<int64_t> working_sets(int64_t llc_bytes, int per_octave);

}  // namespace probes
