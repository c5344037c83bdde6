// Read stream with 64-byte vectors. Raw pointers and intrinsics only: no inline function of the library may
// be emitted here with instructions that an older CPU lacks.
#include <immintrin.h>

#include "harness/streams/streams.hpp"

namespace harness {
namespace {

/// Eight accumulators, so that no chain of XORs binds, and exactly eight load instructions: stride
/// prefetchers track a handful of load addresses, and unrolling to 16 or 32 loads lost a third of the L2 rate
/// on Zen 5 (135 against 200 GB/s) while it gained nothing in L1.
uint64_t read_avx512(const void* data, size_t bytes, int64_t passes) {
  const char* const begin = static_cast<const char*>(data);
  const char* const end = begin + bytes;
  __m512i a0 = _mm512_setzero_si512(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const char* at = begin; at < end; at += 512) {
      a0 = _mm512_xor_si512(a0, _mm512_load_si512(at));
      a1 = _mm512_xor_si512(a1, _mm512_load_si512(at + 64));
      a2 = _mm512_xor_si512(a2, _mm512_load_si512(at + 128));
      a3 = _mm512_xor_si512(a3, _mm512_load_si512(at + 192));
      a4 = _mm512_xor_si512(a4, _mm512_load_si512(at + 256));
      a5 = _mm512_xor_si512(a5, _mm512_load_si512(at + 320));
      a6 = _mm512_xor_si512(a6, _mm512_load_si512(at + 384));
      a7 = _mm512_xor_si512(a7, _mm512_load_si512(at + 448));
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    asm volatile("" ::: "memory");
  }
  a0 = _mm512_xor_si512(_mm512_xor_si512(a0, a1), _mm512_xor_si512(a2, a3));
  a4 = _mm512_xor_si512(_mm512_xor_si512(a4, a5), _mm512_xor_si512(a6, a7));
  alignas(64) uint64_t words[8];
  _mm512_store_si512(words, _mm512_xor_si512(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5] ^ words[6] ^ words[7];
}

}  // namespace

extern const Streams streams_avx512;
const Streams streams_avx512{"avx512", 64, read_avx512};

}  // namespace harness
