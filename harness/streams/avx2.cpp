// Read stream with 32-byte vectors. Raw pointers and intrinsics only: no inline function of the library may
// be emitted here with instructions that an older CPU lacks.
#include <immintrin.h>

#include "harness/streams/streams.hpp"

namespace harness {
namespace {

/// Eight accumulators and eight load instructions, for the reasons that avx512.cpp gives.
uint64_t read_avx2(const void* data, size_t bytes, int64_t passes) {
  const __m256i* const begin = static_cast<const __m256i*>(data);
  const __m256i* const end = begin + bytes / 32;
  __m256i a0 = _mm256_setzero_si256(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const __m256i* at = begin; at < end; at += 8) {
      a0 = _mm256_xor_si256(a0, _mm256_load_si256(at));
      a1 = _mm256_xor_si256(a1, _mm256_load_si256(at + 1));
      a2 = _mm256_xor_si256(a2, _mm256_load_si256(at + 2));
      a3 = _mm256_xor_si256(a3, _mm256_load_si256(at + 3));
      a4 = _mm256_xor_si256(a4, _mm256_load_si256(at + 4));
      a5 = _mm256_xor_si256(a5, _mm256_load_si256(at + 5));
      a6 = _mm256_xor_si256(a6, _mm256_load_si256(at + 6));
      a7 = _mm256_xor_si256(a7, _mm256_load_si256(at + 7));
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    asm volatile("" ::: "memory");
  }
  a0 = _mm256_xor_si256(_mm256_xor_si256(a0, a1), _mm256_xor_si256(a2, a3));
  a4 = _mm256_xor_si256(_mm256_xor_si256(a4, a5), _mm256_xor_si256(a6, a7));
  alignas(32) uint64_t words[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words), _mm256_xor_si256(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3];
}

}  // namespace

extern const Streams streams_avx2;
const Streams streams_avx2{"avx2", 32, read_avx2};

}  // namespace harness
