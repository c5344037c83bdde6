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
int64_t passes_of(const Clock& clock, const std::function<uint64_t(int64_t)>& read, uint64_t& sum) {
  int64_t passes = 1;
  for (; passes < most_passes; passes *= 2) {
    const int64_t start_ns = clock.now_ns();
    sum ^= read(passes);
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
  return faster_read(table, [&](ReadLoop loop, int64_t passes) { return loop(data, bytes, passes); });
}

ReadLoop faster_read(const Streams& table, const std::function<uint64_t(ReadLoop, int64_t)>& read) {
  if (table.read_ahead == nullptr) return table.read;
  const Clock clock = steady_clock();
  const std::array<ReadLoop, 2> loops{table.read, table.read_ahead};
  std::array<std::array<int64_t, rounds>, 2> durations_ns{};
  uint64_t sum = 0;
  const int64_t passes = passes_of(
      clock, [&](int64_t count) { return read(table.read, count); }, sum);
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t turn = 0; turn < 2; ++turn) {
      const size_t i = round % 2 == 0 ? turn : 1 - turn;
      const int64_t start_ns = clock.now_ns();
      sum ^= read(loops[i], passes);
      durations_ns[i][round] = clock.now_ns() - start_ns;
    }
  }
  // Somebody must need what was read.
  asm volatile("" : : "r"(sum) : "memory");
  return median_of(durations_ns[1]) < median_of(durations_ns[0]) ? table.read_ahead : table.read;
}

}  // namespace harness
