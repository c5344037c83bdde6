#include "harness/streams/faster_read.hpp"

#include <algorithm>
#include <array>

#include "harness/clock.hpp"

namespace harness {
namespace {

constexpr int rounds = 5;
constexpr int64_t trial_ns = 100'000;
constexpr int64_t most_passes = 1 << 16;

/// Returns how many passes make a trial, which also warms the data up.
int64_t passes_of(const Clock& clock, ReadLoop loop, const void* data, size_t bytes, uint64_t& read) {
  int64_t passes = 1;
  for (; passes < most_passes; passes *= 2) {
    const int64_t start_ns = clock.now_ns();
    read ^= loop(data, bytes, passes);
    if (clock.now_ns() - start_ns >= trial_ns) break;
  }
  return passes;
}

int64_t median_of(std::array<int64_t, rounds>& durations_ns) {
  std::nth_element(durations_ns.begin(), durations_ns.begin() + rounds / 2, durations_ns.end());
  return durations_ns[rounds / 2];
}

}  // namespace

ReadLoop faster_read(const Streams& table, const void* data, size_t bytes) {
  if (table.read_ahead == nullptr) return table.read;
  const Clock clock = steady_clock();
  const std::array<ReadLoop, 2> loops{table.read, table.read_ahead};
  std::array<std::array<int64_t, rounds>, 2> durations_ns{};
  uint64_t read = 0;
  const int64_t passes = passes_of(clock, table.read, data, bytes, read);
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t turn = 0; turn < 2; ++turn) {
      const size_t i = round % 2 == 0 ? turn : 1 - turn;
      const int64_t start_ns = clock.now_ns();
      read ^= loops[i](data, bytes, passes);
      durations_ns[i][round] = clock.now_ns() - start_ns;
    }
  }
  // Somebody must need what was read.
  asm volatile("" : : "r"(read) : "memory");
  return median_of(durations_ns[1]) < median_of(durations_ns[0]) ? table.read_ahead : table.read;
}

}  // namespace harness
