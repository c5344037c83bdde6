// A random cycle through the 64-byte lines of a buffer: every load's address is what the load before it
// returned, so that neither the core nor a prefetcher can run ahead.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace probes {

inline constexpr int64_t chase_line_bytes = 64;

/// Returns successor[i] of each of `lines` (1 … 2^32 − 1) lines, one single cycle through all of them,
/// uniformly drawn (Sattolo 1986, "An algorithm to generate a random cyclic permutation"). A plain shuffle
/// would fall into several cycles and a chase would see only one of them.
std::vector<uint32_t> single_cycle(int64_t lines, uint64_t seed);

/// The same, but windows of `window_lines` (≥ 1) neighbouring lines are visited whole, one after the other:
/// within a window and among windows the order is random, so that a chase touches few pages at a time and its
/// time is that of the cache, not of the translation. The last window may be shorter. A window that holds all
/// lines gives single_cycle().
std::vector<uint32_t> single_cycle_in_windows(int64_t lines, int64_t window_lines, uint64_t seed);

/// Writes into each line at `base` (64-byte aligned) the address of its successor.
void link_lines(std::byte* base, std::span<const uint32_t> successor);

/// Follows `loads` links from the line `at` and returns the line where that ends. Dependent loads, nothing
/// else.
const std::byte* chase(const std::byte* at, int64_t loads);

}  // namespace probes
