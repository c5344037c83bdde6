// Streams with 8-byte words, for every architecture. Compiled without vectorisation: its name must stay true.
#include "harness/streams/in_order.hpp"
#include "harness/streams/streams.hpp"

namespace harness {
namespace {

#define ADD(sum, index) \
  sum ^= at[index];     \
  IN_ORDER

/// Eight accumulators and eight loads in order, for the reasons that avx512.cpp gives.
uint64_t read_scalar(const void* data, size_t bytes, int64_t passes) {
  const uint64_t* const begin = static_cast<const uint64_t*>(data);
  const uint64_t* const end = begin + bytes / 8;
  uint64_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const uint64_t* at = begin; at < end; at += 8) {
      ADD(a0, 0);
      ADD(a1, 1);
      ADD(a2, 2);
      ADD(a3, 3);
      ADD(a4, 4);
      ADD(a5, 5);
      ADD(a6, 6);
      ADD(a7, 7);
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    IN_ORDER;
  }
  return a0 ^ a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7;
}

#define PUT(index)       \
  at[index] = value_now; \
  IN_ORDER

void store_scalar(void* data, size_t bytes, int64_t passes, uint64_t value) {
  uint64_t* const begin = static_cast<uint64_t*>(data);
  const uint64_t* const end = begin + bytes / 8;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t value_now = value + static_cast<uint64_t>(pass);
    for (uint64_t* at = begin; at < end; at += 8) {
      PUT(0);
      PUT(1);
      PUT(2);
      PUT(3);
      PUT(4);
      PUT(5);
      PUT(6);
      PUT(7);
    }
  }
}

#define COPY(index)          \
  at[index] = source[index]; \
  IN_ORDER

void copy_scalar(void* to, const void* from, size_t bytes, int64_t passes) {
  uint64_t* const begin = static_cast<uint64_t*>(to);
  const uint64_t* const end = begin + bytes / 8;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t* source = static_cast<const uint64_t*>(from);
    for (uint64_t* at = begin; at < end; at += 8, source += 8) {
      COPY(0);
      COPY(1);
      COPY(2);
      COPY(3);
      COPY(4);
      COPY(5);
      COPY(6);
      COPY(7);
    }
  }
}

#define TRIAD(index)                              \
  at[index] = left[index] + scale * right[index]; \
  IN_ORDER

void triad_scalar(double* a, const double* b, const double* c, size_t bytes, double scale, int64_t passes) {
  const double* const end = a + bytes / 8;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const double *left = b, *right = c;
    for (double* at = a; at < end; at += 8, left += 8, right += 8) {
      TRIAD(0);
      TRIAD(1);
      TRIAD(2);
      TRIAD(3);
      TRIAD(4);
      TRIAD(5);
      TRIAD(6);
      TRIAD(7);
    }
  }
}

#undef ADD
#undef PUT
#undef COPY
#undef TRIAD

}  // namespace

extern const Streams streams_scalar;
const Streams streams_scalar{"scalar",     8,       read_scalar, nullptr,
                             store_scalar, nullptr, copy_scalar, triad_scalar};

}  // namespace harness
