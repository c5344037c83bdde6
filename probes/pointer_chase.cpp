#include "probes/pointer_chase.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <utility>

#include "harness/statistics.hpp"
#include "probes/order.hpp"

namespace probes {

std::vector<uint32_t> single_cycle(int64_t lines, uint64_t seed) {
  assert(lines >= 1 && lines < (int64_t{1} << 32));
  std::vector<uint32_t> successor(static_cast<size_t>(lines));
  std::iota(successor.begin(), successor.end(), 0U);
  harness::SplitMix64 random(seed);
  // Sattolo: the partner is always strictly below, which is what joins all into one cycle.
  for (size_t i = successor.size() - 1; i > 0; --i) std::swap(successor[i], successor[random.below(i)]);
  return successor;
}

std::vector<uint32_t> single_cycle_in_windows(int64_t lines, int64_t window_lines, uint64_t seed) {
  assert(window_lines >= 1);
  if (window_lines >= lines) return single_cycle(lines, seed);
  const int64_t windows = (lines + window_lines - 1) / window_lines;
  const std::vector<size_t> order = shuffled_positions(static_cast<size_t>(windows), seed);
  std::vector<uint32_t> visits;
  visits.reserve(static_cast<size_t>(lines));
  for (const size_t window : order) {
    const int64_t first = static_cast<int64_t>(window) * window_lines;
    const int64_t count = std::min(window_lines, lines - first);
    for (const size_t line : shuffled_positions(static_cast<size_t>(count), seed + 1 + window))
      visits.push_back(static_cast<uint32_t>(first + static_cast<int64_t>(line)));
  }
  std::vector<uint32_t> successor(visits.size());
  for (size_t i = 0; i < visits.size(); ++i) successor[visits[i]] = visits[(i + 1) % visits.size()];
  return successor;
}

void link_lines(std::byte* base, std::span<const uint32_t> successor) {
  for (size_t i = 0; i < successor.size(); ++i) {
    const std::byte* next = base + static_cast<size_t>(successor[i]) * chase_line_bytes;
    std::memcpy(base + i * chase_line_bytes, &next, sizeof next);
  }
}

namespace {

inline const std::byte* next_of(const std::byte* at) {
  return *reinterpret_cast<const std::byte* const*>(at);
}

}  // namespace

const std::byte* chase(const std::byte* at, int64_t loads) {
  for (int64_t i = loads / 16; i > 0; --i) {
    at = next_of(next_of(next_of(next_of(at))));
    at = next_of(next_of(next_of(next_of(at))));
    at = next_of(next_of(next_of(next_of(at))));
    at = next_of(next_of(next_of(next_of(at))));
  }
  for (int64_t i = loads % 16; i > 0; --i) at = next_of(at);
  return at;
}

}  // namespace probes
