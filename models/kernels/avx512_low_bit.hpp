// What both AVX-512 files of weights of few bits share. Always inlined, so that no symbol is emitted
// (kernels.hpp); the layout is low_bit_layout.hpp's.
#pragma once
#include "models/kernels/avx512_math.hpp"
#include "models/kernels/low_bit_layout.hpp"

namespace models::avx512 {

/// Four activations in every lane of 32 bits.
ALWAYS_INLINE __m512i quad_of(const int8_t* x, ptrdiff_t quad) {
  int32_t four;
  __builtin_memcpy(&four, x + quad * low_bit::quad_cols, sizeof four);
  return _mm512_set1_epi32(four);
}

/// Σx in every lane. x is padded to 16.
ALWAYS_INLINE __m512i sum_of(const int8_t* x, int cols) {
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < cols; i += lanes)
    sum =
        _mm512_add_epi32(sum, _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  return _mm512_set1_epi32(_mm512_reduce_add_epi32(sum));
}

/// factor · Σx of each group of 32: what the sums of its products begin with.
ALWAYS_INLINE void group_starts(const int8_t* x, ptrdiff_t groups, int factor, int32_t* starts) {
  const __m256i flip = _mm256_set1_epi8(-128), zero = _mm256_setzero_si256();
  for (ptrdiff_t g = 0; g < groups; ++g) {
    const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + g * low_bit::group_cols));
    const __m256i eights = _mm256_sad_epu8(_mm256_xor_si256(codes, flip), zero);  // Σ (x + 128) of eight
    const __m128i two = _mm_add_epi32(_mm256_castsi256_si128(eights), _mm256_extracti128_si256(eights, 1));
    const int32_t sum = _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0x4E)));
    starts[g] = factor * (sum - 128 * low_bit::group_cols);
  }
}

ALWAYS_INLINE __m512i vector_at(const uint8_t* block, int i) {
  return _mm512_load_si512(block + i * low_bit::vector_bytes);
}

/// The low nibbles' two low bits from `low`, their third from `high`; the top bits are anything.
ALWAYS_INLINE __m512i join(__m512i low, __m512i high) {
  return _mm512_ternarylogic_epi32(low, high, _mm512_set1_epi8(0x33), 0xE4);
}

/// Vector i holds quad 2i in its low nibbles and 2i + 1 in its high ones; of three bits each top bit is
/// anything.
ALWAYS_INLINE void nibbles_of(const uint8_t* block, const int bits, __m512i* nibbles) {
  if (bits == 4) {
    for (int i = 0; i < low_bit::group_quads / 2; ++i) nibbles[i] = vector_at(block, i);
    return;
  }
  const __m512i first = vector_at(block, 0), second = vector_at(block, 1), high = vector_at(block, 2);
  nibbles[0] = join(first, _mm512_slli_epi16(high, 2));
  nibbles[1] = join(_mm512_srli_epi16(first, 2), _mm512_slli_epi16(high, 1));
  nibbles[2] = join(second, high);
  nibbles[3] = join(_mm512_srli_epi16(second, 2), _mm512_srli_epi16(high, 1));
}

ALWAYS_INLINE __m512 scales_at(const uint8_t* scales) {
  return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(scales)));
}

}  // namespace models::avx512
