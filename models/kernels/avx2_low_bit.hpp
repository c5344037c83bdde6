// What both AVX2 files of weights of few bits share. A block's vector is two halves of 8 rows. Always
// inlined, so that no symbol is emitted (kernels.hpp); the layout is low_bit_layout.hpp's.
#pragma once
#include "models/kernels/avx2_math.hpp"
#include "models/kernels/low_bit_layout.hpp"

namespace models::avx2 {

constexpr int half_rows = 8, half_bytes = 32;

/// Four activations in every lane of 32 bits.
ALWAYS_INLINE __m256i quad_of(const int8_t* x, ptrdiff_t quad) {
  int32_t four;
  __builtin_memcpy(&four, x + quad * low_bit::quad_cols, sizeof four);
  return _mm256_set1_epi32(four);
}

/// Σx. x is padded to 16.
ALWAYS_INLINE int32_t sum_of(const int8_t* x, int cols) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (int i = 0; i < cols; i += lanes) {
    const __m256i words = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(words, ones));
  }
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

/// factor · Σx of each group of 32: what the sums of its products begin with.
ALWAYS_INLINE void group_starts(const int8_t* x, ptrdiff_t groups, int factor, int32_t* starts) {
  for (ptrdiff_t g = 0; g < groups; ++g)
    starts[g] = factor * sum_of(x + g * low_bit::group_cols, low_bit::group_cols);
}

/// Half h of vector i of a block; half 2 is the next vector's first.
ALWAYS_INLINE __m256i half_at(const uint8_t* block, int i, int h) {
  const uint8_t* at = block + i * low_bit::vector_bytes + h * half_bytes;
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
}

/// The nibbles' two low bits from `low`, their third from `high`.
ALWAYS_INLINE __m256i join(__m256i low, __m256i high) {
  return _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi8(0x33)),
                         _mm256_and_si256(high, _mm256_set1_epi8(0x44)));
}

/// Vector i holds quad 2i of the half's rows in its low nibbles and 2i + 1 in its high ones.
ALWAYS_INLINE void nibbles_of(const uint8_t* block, const int h, const int bits, __m256i* nibbles) {
  if (bits == 4) {
    for (int i = 0; i < low_bit::group_quads / 2; ++i) nibbles[i] = half_at(block, i, h);
    return;
  }
  const __m256i first = half_at(block, 0, h), second = half_at(block, 1, h), high = half_at(block, 2, h);
  nibbles[0] = join(first, _mm256_slli_epi16(high, 2));
  nibbles[1] = join(_mm256_srli_epi16(first, 2), _mm256_slli_epi16(high, 1));
  nibbles[2] = join(second, high);
  nibbles[3] = join(_mm256_srli_epi16(second, 2), _mm256_srli_epi16(high, 1));
}

ALWAYS_INLINE __m256 scales_at(const uint8_t* scales, int h) {
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + h * half_bytes / 2)));
}

/// y = (float(sum) · gamma) · x_scale of eight rows.
ALWAYS_INLINE void store_ternary(__m256i sum, __m256 gamma, __m256 x_scale, float* y) {
  _mm256_storeu_ps(y, _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), gamma), x_scale));
}

}  // namespace models::avx2
