// Streams with 64-byte vectors. Raw pointers and intrinsics only: no inline function of the library may be
// emitted here with instructions that an older CPU lacks.
#include <immintrin.h>

#include "harness/streams/in_order.hpp"
#include "harness/streams/streams.hpp"

namespace harness {
namespace {

#define ADD(sum, offset)                                         \
  sum = _mm512_xor_si512(sum, _mm512_load_si512(at + (offset))); \
  IN_ORDER

/// Eight accumulators, so that no chain of XORs binds, and sixteen loads per turn, in order: fewer lose a
/// sixth in L1 to the loop; 24 and more lost a third of the L2 rate on Zen 5, whose stride prefetchers track
/// a handful of load instructions.
uint64_t read_avx512(const void* data, size_t bytes, int64_t passes) {
  const char* const begin = static_cast<const char*>(data);
  const char* const end = begin + bytes;
  __m512i a0 = _mm512_setzero_si512(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* at = begin;
    for (; end - at >= 1024; at += 1024) {
      ADD(a0, 0);
      ADD(a1, 64);
      ADD(a2, 128);
      ADD(a3, 192);
      ADD(a4, 256);
      ADD(a5, 320);
      ADD(a6, 384);
      ADD(a7, 448);
      ADD(a0, 512);
      ADD(a1, 576);
      ADD(a2, 640);
      ADD(a3, 704);
      ADD(a4, 768);
      ADD(a5, 832);
      ADD(a6, 896);
      ADD(a7, 960);
    }
    if (at < end) {
      ADD(a0, 0);
      ADD(a1, 64);
      ADD(a2, 128);
      ADD(a3, 192);
      ADD(a4, 256);
      ADD(a5, 320);
      ADD(a6, 384);
      ADD(a7, 448);
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    IN_ORDER;
  }
  a0 = _mm512_xor_si512(_mm512_xor_si512(a0, a1), _mm512_xor_si512(a2, a3));
  a4 = _mm512_xor_si512(_mm512_xor_si512(a4, a5), _mm512_xor_si512(a6, a7));
  alignas(64) uint64_t words[8];
  _mm512_store_si512(words, _mm512_xor_si512(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5] ^ words[6] ^ words[7];
}

/// How far ahead lines are asked for: half a page, so that the way to a shared cache is covered and little is
/// fetched beyond the end.
#define AHEAD(offset) _mm_prefetch(at + (offset) + 2048, _MM_HINT_T0)

uint64_t read_ahead_avx512(const void* data, size_t bytes, int64_t passes) {
  const char* const begin = static_cast<const char*>(data);
  const char* const end = begin + bytes;
  __m512i a0 = _mm512_setzero_si512(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const char* at = begin; at < end; at += 512) {
      AHEAD(0);
      ADD(a0, 0);
      AHEAD(64);
      ADD(a1, 64);
      AHEAD(128);
      ADD(a2, 128);
      AHEAD(192);
      ADD(a3, 192);
      AHEAD(256);
      ADD(a4, 256);
      AHEAD(320);
      ADD(a5, 320);
      AHEAD(384);
      ADD(a6, 384);
      AHEAD(448);
      ADD(a7, 448);
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    IN_ORDER;
  }
  a0 = _mm512_xor_si512(_mm512_xor_si512(a0, a1), _mm512_xor_si512(a2, a3));
  a4 = _mm512_xor_si512(_mm512_xor_si512(a4, a5), _mm512_xor_si512(a6, a7));
  alignas(64) uint64_t words[8];
  _mm512_store_si512(words, _mm512_xor_si512(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5] ^ words[6] ^ words[7];
}

#define PUT(offset)                             \
  _mm512_store_si512(at + (offset), value_now); \
  IN_ORDER

void store_avx512(void* data, size_t bytes, int64_t passes, uint64_t value) {
  char* const begin = static_cast<char*>(data);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t word = value + static_cast<uint64_t>(pass);
    const __m512i value_now = _mm512_set1_epi64(static_cast<long long>(word));
    for (char* at = begin; at < end; at += 512) {
      PUT(0);
      PUT(64);
      PUT(128);
      PUT(192);
      PUT(256);
      PUT(320);
      PUT(384);
      PUT(448);
    }
  }
}

#define STREAM(offset)                                                       \
  _mm512_stream_si512(reinterpret_cast<__m512i*>(at + (offset)), value_now); \
  IN_ORDER

void store_nt_avx512(void* data, size_t bytes, int64_t passes, uint64_t value) {
  char* const begin = static_cast<char*>(data);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t word = value + static_cast<uint64_t>(pass);
    const __m512i value_now = _mm512_set1_epi64(static_cast<long long>(word));
    for (char* at = begin; at < end; at += 512) {
      STREAM(0);
      STREAM(64);
      STREAM(128);
      STREAM(192);
      STREAM(256);
      STREAM(320);
      STREAM(384);
      STREAM(448);
    }
    _mm_sfence();  // a pass ends when its lines have left the write-combining buffers
  }
}

#define COPY(offset)                                                       \
  _mm512_store_si512(at + (offset), _mm512_load_si512(source + (offset))); \
  IN_ORDER

void copy_avx512(void* to, const void* from, size_t bytes, int64_t passes) {
  char* const begin = static_cast<char*>(to);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* source = static_cast<const char*>(from);
    for (char* at = begin; at < end; at += 512, source += 512) {
      COPY(0);
      COPY(64);
      COPY(128);
      COPY(192);
      COPY(256);
      COPY(320);
      COPY(384);
      COPY(448);
    }
  }
}

#define TRIAD(offset)                                                                                    \
  _mm512_store_pd(                                                                                       \
      reinterpret_cast<double*>(at + (offset)),                                                          \
      _mm512_add_pd(                                                                                     \
          _mm512_load_pd(reinterpret_cast<const double*>(left + (offset))),                              \
          _mm512_mul_pd(scale_all, _mm512_load_pd(reinterpret_cast<const double*>(right + (offset)))))); \
  IN_ORDER

void triad_avx512(double* a, const double* b, const double* c, size_t bytes, double scale, int64_t passes) {
  char* const begin = reinterpret_cast<char*>(a);
  const char* const end = begin + bytes;
  const __m512d scale_all = _mm512_set1_pd(scale);
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* left = reinterpret_cast<const char*>(b);
    const char* right = reinterpret_cast<const char*>(c);
    for (char* at = begin; at < end; at += 512, left += 512, right += 512) {
      TRIAD(0);
      TRIAD(64);
      TRIAD(128);
      TRIAD(192);
      TRIAD(256);
      TRIAD(320);
      TRIAD(384);
      TRIAD(448);
    }
  }
}

#undef ADD
#undef AHEAD
#undef PUT
#undef STREAM
#undef COPY
#undef TRIAD

}  // namespace

extern const Streams streams_avx512;
const Streams streams_avx512{"avx512",        64,          read_avx512, read_ahead_avx512, store_avx512,
                             store_nt_avx512, copy_avx512, triad_avx512};

}  // namespace harness
