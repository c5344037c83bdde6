// A clock that tests move by hand.
#pragma once
#include <cstdint>

#include "harness/clock.hpp"

namespace harness {

/// Owns a scripted time: stands still but for what the test adds, and for `per_read_ns` after every read.
struct FakeClock {
  int64_t now_ns = 0;
  int64_t per_read_ns = 0;
  int64_t tick_ns = 1;  ///< what is read is rounded down to a multiple of this: a coarse clock
  int64_t reads = 0;

  [[nodiscard]] Clock clock() { return {&FakeClock::read, this, "fake"}; }

 private:
  static int64_t read(void* context) {
    auto& self = *static_cast<FakeClock*>(context);
    const int64_t time = self.now_ns / self.tick_ns * self.tick_ns;
    self.now_ns += self.per_read_ns;
    ++self.reads;
    return time;
  }
};

}  // namespace harness
