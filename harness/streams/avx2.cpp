// Streams with 32-byte vectors. Raw pointers and intrinsics only: no inline function of the library may be
// emitted here with instructions that an older CPU lacks.
#include <immintrin.h>

#include "harness/streams/in_order.hpp"
#include "harness/streams/streams.hpp"

namespace harness {
namespace {

#define ADD(sum, offset)                                                                           \
  sum = _mm256_xor_si256(sum, _mm256_load_si256(reinterpret_cast<const __m256i*>(at + (offset)))); \
  IN_ORDER

/// Eight accumulators and sixteen loads in order, for the reasons that avx512.cpp gives.
uint64_t read_avx2(const void* data, size_t bytes, int64_t passes) {
  const char* const begin = static_cast<const char*>(data);
  const char* const end = begin + bytes;
  __m256i a0 = _mm256_setzero_si256(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* at = begin;
    for (; end - at >= 512; at += 512) {
      ADD(a0, 0);
      ADD(a1, 32);
      ADD(a2, 64);
      ADD(a3, 96);
      ADD(a4, 128);
      ADD(a5, 160);
      ADD(a6, 192);
      ADD(a7, 224);
      ADD(a0, 256);
      ADD(a1, 288);
      ADD(a2, 320);
      ADD(a3, 352);
      ADD(a4, 384);
      ADD(a5, 416);
      ADD(a6, 448);
      ADD(a7, 480);
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    IN_ORDER;
  }
  a0 = _mm256_xor_si256(_mm256_xor_si256(a0, a1), _mm256_xor_si256(a2, a3));
  a4 = _mm256_xor_si256(_mm256_xor_si256(a4, a5), _mm256_xor_si256(a6, a7));
  alignas(32) uint64_t words[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words), _mm256_xor_si256(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3];
}

/// How far ahead lines are asked for: half a page, so that the way to a shared cache is covered and little is
/// fetched beyond the end.
#define AHEAD(offset) _mm_prefetch(at + (offset) + 2048, _MM_HINT_T0)

uint64_t read_ahead_avx2(const void* data, size_t bytes, int64_t passes) {
  const char* const begin = static_cast<const char*>(data);
  const char* const end = begin + bytes;
  __m256i a0 = _mm256_setzero_si256(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const char* at = begin; at < end; at += 512) {
      AHEAD(0);
      ADD(a0, 0);
      ADD(a1, 32);
      AHEAD(64);
      ADD(a2, 64);
      ADD(a3, 96);
      AHEAD(128);
      ADD(a4, 128);
      ADD(a5, 160);
      AHEAD(192);
      ADD(a6, 192);
      ADD(a7, 224);
      AHEAD(256);
      ADD(a0, 256);
      ADD(a1, 288);
      AHEAD(320);
      ADD(a2, 320);
      ADD(a3, 352);
      AHEAD(384);
      ADD(a4, 384);
      ADD(a5, 416);
      AHEAD(448);
      ADD(a6, 448);
      ADD(a7, 480);
    }
    // As far as the compiler knows memory has changed: the next pass must load again.
    IN_ORDER;
  }
  a0 = _mm256_xor_si256(_mm256_xor_si256(a0, a1), _mm256_xor_si256(a2, a3));
  a4 = _mm256_xor_si256(_mm256_xor_si256(a4, a5), _mm256_xor_si256(a6, a7));
  alignas(32) uint64_t words[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words), _mm256_xor_si256(a0, a4));
  return words[0] ^ words[1] ^ words[2] ^ words[3];
}

#define PUT(offset)                                                         \
  _mm256_store_si256(reinterpret_cast<__m256i*>(at + (offset)), value_now); \
  IN_ORDER

void store_avx2(void* data, size_t bytes, int64_t passes, uint64_t value) {
  char* const begin = static_cast<char*>(data);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t word = value + static_cast<uint64_t>(pass);
    const __m256i value_now = _mm256_set1_epi64x(static_cast<long long>(word));
    for (char* at = begin; at < end; at += 256) {
      PUT(0);
      PUT(32);
      PUT(64);
      PUT(96);
      PUT(128);
      PUT(160);
      PUT(192);
      PUT(224);
    }
  }
}

#define STREAM(offset)                                                       \
  _mm256_stream_si256(reinterpret_cast<__m256i*>(at + (offset)), value_now); \
  IN_ORDER

void store_nt_avx2(void* data, size_t bytes, int64_t passes, uint64_t value) {
  char* const begin = static_cast<char*>(data);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const uint64_t word = value + static_cast<uint64_t>(pass);
    const __m256i value_now = _mm256_set1_epi64x(static_cast<long long>(word));
    for (char* at = begin; at < end; at += 256) {
      STREAM(0);
      STREAM(32);
      STREAM(64);
      STREAM(96);
      STREAM(128);
      STREAM(160);
      STREAM(192);
      STREAM(224);
    }
    _mm_sfence();  // a pass ends when its lines have left the write-combining buffers
  }
}

#define COPY(offset)                                                                          \
  _mm256_store_si256(reinterpret_cast<__m256i*>(at + (offset)),                               \
                     _mm256_load_si256(reinterpret_cast<const __m256i*>(source + (offset)))); \
  IN_ORDER

void copy_avx2(void* to, const void* from, size_t bytes, int64_t passes) {
  char* const begin = static_cast<char*>(to);
  const char* const end = begin + bytes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* source = static_cast<const char*>(from);
    for (char* at = begin; at < end; at += 256, source += 256) {
      COPY(0);
      COPY(32);
      COPY(64);
      COPY(96);
      COPY(128);
      COPY(160);
      COPY(192);
      COPY(224);
    }
  }
}

#define TRIAD(offset)                                                                                    \
  _mm256_store_pd(                                                                                       \
      reinterpret_cast<double*>(at + (offset)),                                                          \
      _mm256_add_pd(                                                                                     \
          _mm256_load_pd(reinterpret_cast<const double*>(left + (offset))),                              \
          _mm256_mul_pd(scale_all, _mm256_load_pd(reinterpret_cast<const double*>(right + (offset)))))); \
  IN_ORDER

void triad_avx2(double* a, const double* b, const double* c, size_t bytes, double scale, int64_t passes) {
  char* const begin = reinterpret_cast<char*>(a);
  const char* const end = begin + bytes;
  const __m256d scale_all = _mm256_set1_pd(scale);
  for (int64_t pass = 0; pass < passes; ++pass) {
    const char* left = reinterpret_cast<const char*>(b);
    const char* right = reinterpret_cast<const char*>(c);
    for (char* at = begin; at < end; at += 256, left += 256, right += 256) {
      TRIAD(0);
      TRIAD(32);
      TRIAD(64);
      TRIAD(96);
      TRIAD(128);
      TRIAD(160);
      TRIAD(192);
      TRIAD(224);
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

extern const Streams streams_avx2;
const Streams streams_avx2{"avx2",        32,        read_avx2, read_ahead_avx2, store_avx2,
                           store_nt_avx2, copy_avx2, triad_avx2};

}  // namespace harness
