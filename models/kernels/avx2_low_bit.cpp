// Weights of few bits without dot products: unsigned codes times activations in pairs (maddubs), summed in 16
// bits for as long as they cannot overflow.
#include "models/kernels/avx2_low_bit.hpp"

#include "models/kernels/avx2.hpp"

namespace models::avx2 {

using low_bit::most_blocks;

constexpr int pass_halves = 4;  ///< of ternary row blocks at a time: all that 16 registers hold
constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;
/// Column blocks between widenings of the ternary sums: 8 · 2 · (2 · 4 · 2 · 127) < 2^15.
constexpr int narrow_blocks = 8;

ALWAYS_INLINE __m256i pairs_of(__m256i codes, const int field, __m256i quad) {
  return _mm256_maddubs_epi16(_mm256_and_si256(codes, _mm256_set1_epi8(static_cast<char>(field))), quad);
}

ALWAYS_INLINE void ternary_pass(const uint8_t* w, int stride, ptrdiff_t col_blocks, const int8_t* x,
                                __m256i start, __m256 gamma, __m256 x_scale, float* y, const int halves) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum[pass_halves];
  for (int h = 0; h < halves; ++h) sum[h] = start;
  for (ptrdiff_t i = 0; i < col_blocks;) {
    const ptrdiff_t end = i + narrow_blocks < col_blocks ? i + narrow_blocks : col_blocks;
    __m256i once[pass_halves], fourfold[pass_halves];  // the odd quads' codes are left where they lie
    for (int h = 0; h < halves; ++h) once[h] = fourfold[h] = _mm256_setzero_si256();
    for (; i < end; ++i, w += stride) {
      const __m256i x0 = quad_of(x, quads * i), x1 = quad_of(x, quads * i + 1),
                    x2 = quad_of(x, quads * i + 2), x3 = quad_of(x, quads * i + 3);
      for (int h = 0; h < halves; ++h) {
        const __m256i codes = half_at(w, 0, h), high = _mm256_srli_epi16(codes, 4);
        const __m256i even = _mm256_add_epi16(pairs_of(codes, 0x03, x0), pairs_of(high, 0x03, x2));
        const __m256i odd = _mm256_add_epi16(pairs_of(codes, 0x0C, x1), pairs_of(high, 0x0C, x3));
        once[h] = _mm256_add_epi16(once[h], even);
        fourfold[h] = _mm256_add_epi16(fourfold[h], odd);
      }
    }
    for (int h = 0; h < halves; ++h) {
      const __m256i four = _mm256_srai_epi32(_mm256_madd_epi16(fourfold[h], ones), 2);
      sum[h] = _mm256_add_epi32(sum[h], _mm256_add_epi32(_mm256_madd_epi16(once[h], ones), four));
    }
  }
  for (int h = 0; h < halves; ++h) store_ternary(sum[h], gamma, x_scale, y + h * half_rows);
}

ALWAYS_INLINE void ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x, __m256i start,
                               __m256 gamma, __m256 x_scale, float* y, const int blocks) {
  const int stride = blocks * low_bit::vector_bytes, halves = 2 * blocks;
  for (int h = 0; h < halves; h += pass_halves, w += pass_halves * half_bytes, y += pass_halves * half_rows) {
    if (halves - h >= pass_halves) {
      ternary_pass(w, stride, col_blocks, x, start, gamma, x_scale, y, pass_halves);
    } else {
      ternary_pass(w, stride, col_blocks, x, start, gamma, x_scale, y, 2);
    }
  }
}

void ternary_gemv(const uint8_t* w, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  const ptrdiff_t col_blocks = (cols + low_bit::ternary_cols - 1) / low_bit::ternary_cols;
  const __m256i start = _mm256_set1_epi32(-sum_of(x, cols));
  const __m256 of_codes = _mm256_set1_ps(gamma), scale = _mm256_set1_ps(x_scale);
#define SET(blocks)                                                 \
  ternary_set(w, col_blocks, x, start, of_codes, scale, y, blocks); \
  w += (blocks)*col_blocks * low_bit::vector_bytes;                 \
  y += ptrdiff_t{blocks} * low_bit::block_rows
  FOR_EACH_SET(low_bit::row_blocks(rows), SET)
#undef SET
}

/// Σ code · x of half a block in 16-bit pairs, 8 · 2 · 15 · 127 < 2^15, widened.
ALWAYS_INLINE __m256i half_dot(const uint8_t* w, const int h, const int8_t* x, const int bits,
                               __m256i start) {
  const int mask = bits == 4 ? 0x0F : 0x07;
  __m256i nibbles[low_bit::group_quads / 2], pairs = _mm256_setzero_si256();
  nibbles_of(w, h, bits, nibbles);
  for (int i = 0; i < low_bit::group_quads / 2; ++i) {
    pairs = _mm256_add_epi16(pairs, pairs_of(nibbles[i], mask, quad_of(x, 2 * i)));
    pairs = _mm256_add_epi16(pairs, pairs_of(_mm256_srli_epi16(nibbles[i], 4), mask, quad_of(x, 2 * i + 1)));
  }
  return _mm256_add_epi32(start, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

ALWAYS_INLINE void group_set(const uint8_t* w, const uint8_t* scales, ptrdiff_t groups, const int8_t* x,
                             const int32_t* starts, __m256 x_scale, float* y, const int bits,
                             const int blocks) {
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  __m256 sum[most_blocks][2];
  for (int b = 0; b < blocks; ++b) sum[b][0] = sum[b][1] = _mm256_setzero_ps();
  for (ptrdiff_t g = 0; g < groups; ++g, x += low_bit::group_cols) {
    const __m256i start = _mm256_set1_epi32(starts[g]);
    for (int b = 0; b < blocks; ++b, w += block_bytes, scales += low_bit::scale_bytes) {
      for (int h = 0; h < 2; ++h) {
        const __m256 dot = _mm256_cvtepi32_ps(half_dot(w, h, x, bits, start));
        sum[b][h] = _mm256_add_ps(sum[b][h], _mm256_mul_ps(dot, scales_at(scales, h)));
      }
    }
  }
  for (int b = 0; b < blocks; ++b) {
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_ps(y + b * low_bit::block_rows + h * half_rows, _mm256_mul_ps(sum[b][h], x_scale));
  }
}

ALWAYS_INLINE void group_gemv(const uint8_t* w, int rows, int cols, const int8_t* x, float x_scale, float* y,
                              const int bits) {
  const ptrdiff_t groups = cols / low_bit::group_cols, all_blocks = low_bit::row_blocks(rows);
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  const uint8_t* scales = w + all_blocks * groups * block_bytes;
  int32_t starts[max_low_bit_cols / low_bit::group_cols];
  group_starts(x, groups, -(bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
  const __m256 scale = _mm256_set1_ps(x_scale);
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

}  // namespace models::avx2
