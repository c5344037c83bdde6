// Read stream with 8-byte words, for every architecture. Compiled without vectorisation: its name must stay
// true.
#include "harness/streams/streams.hpp"

namespace harness {
namespace {

/// Eight accumulators and eight load instructions, for the reasons that avx512.cpp gives.
uint64_t read_scalar(const void* data, size_t bytes, int64_t passes) {
  const uint64_t* const begin = static_cast<const uint64_t*>(data);
  const uint64_t* const end = begin + bytes / 8;
  uint64_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const uint64_t* at = begin; at < end; at += 8) {
      a0 ^= at[0];
      a1 ^= at[1];
      a2 ^= at[2];
      a3 ^= at[3];
      a4 ^= at[4];
      a5 ^= at[5];
      a6 ^= at[6];
      a7 ^= at[7];
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    asm volatile("" ::: "memory");
  }
  return a0 ^ a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7;
}

}  // namespace

extern const Streams streams_scalar;
const Streams streams_scalar{"scalar", 8, read_scalar};

}  // namespace harness
