// Time, as a value that tests can replace.
#pragma once
#include <cstdint>
#include <string>

namespace harness {

/// Reads a monotonic time in ns. A struct with a function pointer, so that a scripted clock tests what
/// samples.
struct Clock {
  int64_t (*read_ns)(void* context) = nullptr;
  void* context = nullptr;
  const char* source = "";

  [[nodiscard]] int64_t now_ns() const { return read_ns(context); }
};

/// Returns the clock all measurements use: CLOCK_MONOTONIC_RAW (not slewed by NTP; clock_gettime(2)), or
/// CLOCK_MONOTONIC where the kernel has no raw one. `source` says which.
Clock steady_clock();

/// What a clock can resolve, measured on it.
struct ClockQuality {
  int64_t resolution_ns = 0;  ///< smallest non-zero difference of successive reads; 0 when it never moved
  int64_t overhead_ns =
      0;  ///< median cost of one read, at least 1; the mean cost where the clock ticks more rarely
};

/// Measures a clock by back-to-back reads (about 1 ms, longer only when it ticks more rarely).
ClockQuality measure_clock(const Clock& clock);

}  // namespace harness
