// Times one load, in ticks of the finest counter that a user program may read.
#pragma once
#include <cstddef>
#include <cstdint>

#include "harness/error.hpp"

namespace probes {

/// A struct with a function pointer, so that tests script what loads take, or how coarse the counter is.
struct LoadTimer {
  int64_t (*read_ticks)(void* context, const std::byte* at) = nullptr;
  void* context = nullptr;
  const char* source = "";

  /// Loads the byte at `at` and returns how many ticks that took, the cost of timing included.
  [[nodiscard]] int64_t ticks(const std::byte* at) const { return read_ticks(context, at); }
};

/// Returns this CPU's own timer: the time-stamp counter between lfences, which wait for all loads before them
/// (Intel, "How to benchmark code execution times", 2010; AMD64 manual vol. 3, LFENCE), or cntvct_el0 between
/// isbs (Arm Architecture Reference Manual, D11.1). Unavailable on other architectures.
harness::Reading<LoadTimer> load_timer();

}  // namespace probes
