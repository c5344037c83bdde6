// Weights of few bits without dot products: unsigned codes times activations in pairs (maddubs), summed in 16
// bits for as long as they cannot overflow.
#include "models/kernels/avx512_low_bit.hpp"

#include "models/kernels/avx512.hpp"

namespace models::avx512 {

using low_bit::most_blocks;

constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;
/// Column blocks between widenings of the ternary sums: 8 · 2 · (2 · 4 · 2 · 127) < 2^15.
constexpr int narrow_blocks = 8;

ALWAYS_INLINE __m512i pairs_of(__m512i codes, const int field, __m512i quad) {
  return _mm512_maddubs_epi16(_mm512_and_si512(codes, _mm512_set1_epi8(static_cast<char>(field))), quad);
}

ALWAYS_INLINE const uint8_t* ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x,
                                         __m512i start, __m512 gamma, __m512 x_scale, float* y,
                                         const int blocks) {
  const __m512i ones = _mm512_set1_epi16(1);
  __m512i sum[most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = start;
  for (ptrdiff_t i = 0; i < col_blocks;) {
    const ptrdiff_t end = i + narrow_blocks < col_blocks ? i + narrow_blocks : col_blocks;
    __m512i once[most_blocks], fourfold[most_blocks];  // the odd quads' codes are left where they lie
    for (int b = 0; b < blocks; ++b) once[b] = fourfold[b] = _mm512_setzero_si512();
    for (; i < end; ++i) {
      for (int b = 0; b < blocks; ++b, w += low_bit::vector_bytes) {
        const __m512i codes = _mm512_load_si512(w), high = _mm512_srli_epi16(codes, 4);
        const __m512i even = _mm512_add_epi16(pairs_of(codes, 0x03, quad_of(x, quads * i)),
                                              pairs_of(high, 0x03, quad_of(x, quads * i + 2)));
        const __m512i odd = _mm512_add_epi16(pairs_of(codes, 0x0C, quad_of(x, quads * i + 1)),
                                             pairs_of(high, 0x0C, quad_of(x, quads * i + 3)));
        once[b] = _mm512_add_epi16(once[b], even);
        fourfold[b] = _mm512_add_epi16(fourfold[b], odd);
      }
    }
    for (int b = 0; b < blocks; ++b) {
      sum[b] = _mm512_add_epi32(sum[b], _mm512_madd_epi16(once[b], ones));
      sum[b] = _mm512_add_epi32(sum[b], _mm512_srai_epi32(_mm512_madd_epi16(fourfold[b], ones), 2));
    }
  }
  for (int b = 0; b < blocks; ++b) {
    const __m512 of_code = _mm512_mul_ps(_mm512_cvtepi32_ps(sum[b]), gamma);
    _mm512_storeu_ps(y + b * low_bit::block_rows, _mm512_mul_ps(of_code, x_scale));
  }
  return w;
}

void ternary_gemv(const uint8_t* w, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  const ptrdiff_t col_blocks = (cols + low_bit::ternary_cols - 1) / low_bit::ternary_cols;
  const __m512i start = _mm512_sub_epi32(_mm512_setzero_si512(), sum_of(x, cols));
  const __m512 of_codes = _mm512_set1_ps(gamma), scale = _mm512_set1_ps(x_scale);
#define SET(blocks)                                                     \
  w = ternary_set(w, col_blocks, x, start, of_codes, scale, y, blocks); \
  y += ptrdiff_t{blocks} * low_bit::block_rows
  FOR_EACH_SET(low_bit::row_blocks(rows), SET)
#undef SET
}

/// Σ code · x of a block in 16-bit pairs: 8 · 2 · 15 · 127 < 2^15.
ALWAYS_INLINE __m512i block_pairs(const uint8_t* w, const int8_t* x, const int bits) {
  const int mask = bits == 4 ? 0x0F : 0x07;
  __m512i nibbles[low_bit::group_quads / 2], pairs = _mm512_setzero_si512();
  nibbles_of(w, bits, nibbles);
  for (int i = 0; i < low_bit::group_quads / 2; ++i) {
    pairs = _mm512_add_epi16(pairs, pairs_of(nibbles[i], mask, quad_of(x, 2 * i)));
    pairs = _mm512_add_epi16(pairs, pairs_of(_mm512_srli_epi16(nibbles[i], 4), mask, quad_of(x, 2 * i + 1)));
  }
  return pairs;
}

ALWAYS_INLINE void group_set(const uint8_t* w, const uint8_t* scales, ptrdiff_t groups, const int8_t* x,
                             const int32_t* starts, __m512 x_scale, float* y, const int bits,
                             const int blocks) {
  const __m512i ones = _mm512_set1_epi16(1);
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  __m512 sum[most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = _mm512_setzero_ps();
  for (ptrdiff_t g = 0; g < groups; ++g, x += low_bit::group_cols) {
    const __m512i start = _mm512_set1_epi32(starts[g]);
    for (int b = 0; b < blocks; ++b, w += block_bytes, scales += low_bit::scale_bytes) {
      const __m512i dot = _mm512_add_epi32(start, _mm512_madd_epi16(block_pairs(w, x, bits), ones));
      sum[b] = _mm512_add_ps(sum[b], _mm512_mul_ps(_mm512_cvtepi32_ps(dot), scales_at(scales)));
    }
  }
  for (int b = 0; b < blocks; ++b)
    _mm512_storeu_ps(y + b * low_bit::block_rows, _mm512_mul_ps(sum[b], x_scale));
}

ALWAYS_INLINE void group_gemv(const uint8_t* w, int rows, int cols, const int8_t* x, float x_scale, float* y,
                              const int bits) {
  const ptrdiff_t groups = cols / low_bit::group_cols, all_blocks = low_bit::row_blocks(rows);
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  const uint8_t* scales = w + all_blocks * groups * block_bytes;
  int32_t starts[max_low_bit_cols / low_bit::group_cols];
  group_starts(x, groups, -(bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
  const __m512 scale = _mm512_set1_ps(x_scale);
#define SET(blocks)                                                \
  group_set(w, scales, groups, x, starts, scale, y, bits, blocks); \
  w += (blocks)*groups * block_bytes;                              \
  scales += (blocks)*groups * low_bit::scale_bytes;                \
  y += ptrdiff_t{blocks} * low_bit::block_rows
  FOR_EACH_SET(all_blocks, SET)
#undef SET
}

void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  group_gemv(packed, rows, cols, x, x_scale, y, 3);
}

void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  group_gemv(packed, rows, cols, x, x_scale, y, 4);
}

}  // namespace models::avx512
