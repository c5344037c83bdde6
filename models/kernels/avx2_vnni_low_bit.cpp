// Weights of few bits by dot products of bytes. Fields are not all shifted down to bit 0 but masked where
// they lie, and what was so multiplied by a power of two is shifted back in the exact 32-bit sum.
#include "models/kernels/avx2_low_bit.hpp"
#include "models/kernels/avx2_vnni.hpp"

namespace models::avx2_vnni {

using avx2::half_rows;
using avx2::pass_blocks;
using avx2::quad_of;
using low_bit::most_blocks;

constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;

ALWAYS_INLINE __m256i add_dot(__m256i sum, __m256i codes, const int field, __m256i quad) {
  return _mm256_dpbusd_avx_epi32(sum, _mm256_and_si256(codes, _mm256_set1_epi8(static_cast<char>(field))),
                                 quad);
}

ALWAYS_INLINE void ternary_pass(const uint8_t* w, int stride, ptrdiff_t col_blocks, const int8_t* x,
                                __m256i start, __m256 gamma, __m256 x_scale, float* y, const int blocks) {
  __m256i once[pass_blocks][2], fourfold[pass_blocks][2];  // the odd quads' codes are left where they lie
  for (int b = 0; b < blocks; ++b) {
    for (int h = 0; h < 2; ++h) once[b][h] = start, fourfold[b][h] = _mm256_setzero_si256();
  }
  for (ptrdiff_t i = 0; i < col_blocks; ++i, w += stride) {
    const __m256i x0 = quad_of(x, quads * i), x1 = quad_of(x, quads * i + 1), x2 = quad_of(x, quads * i + 2),
                  x3 = quad_of(x, quads * i + 3);
    for (int b = 0; b < blocks; ++b) {
      for (int h = 0; h < 2; ++h) {
        const __m256i codes = avx2::half_at(w, b, h), high = _mm256_srli_epi16(codes, 4);
        once[b][h] = add_dot(add_dot(once[b][h], codes, 0x03, x0), high, 0x03, x2);
        fourfold[b][h] = add_dot(add_dot(fourfold[b][h], codes, 0x0C, x1), high, 0x0C, x3);
      }
    }
  }
  for (int b = 0; b < blocks; ++b) {
    for (int h = 0; h < 2; ++h)
      once[b][h] = _mm256_add_epi32(once[b][h], _mm256_srai_epi32(fourfold[b][h], 2));
    avx2::store_ternary(once[b], gamma, x_scale, y + b * low_bit::block_rows);
  }
}

ALWAYS_INLINE void ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x, __m256i start,
                               __m256 gamma, __m256 x_scale, float* y, const int blocks) {
  const int stride = blocks * low_bit::vector_bytes;
  for (int b = 0; b < blocks; b += pass_blocks) {
    const uint8_t* at = w + b * low_bit::vector_bytes;
    float* to = y + b * low_bit::block_rows;
    if (blocks - b >= pass_blocks) {
      ternary_pass(at, stride, col_blocks, x, start, gamma, x_scale, to, pass_blocks);
    } else {
      ternary_pass(at, stride, col_blocks, x, start, gamma, x_scale, to, 1);
    }
  }
}

void ternary_gemv(const uint8_t* w, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  const ptrdiff_t col_blocks = (cols + low_bit::ternary_cols - 1) / low_bit::ternary_cols;
  const __m256i start = _mm256_set1_epi32(-avx2::sum_of(x, cols));
  const __m256 of_codes = _mm256_set1_ps(gamma), scale = _mm256_set1_ps(x_scale);
#define SET(blocks)                                                 \
  ternary_set(w, col_blocks, x, start, of_codes, scale, y, blocks); \
  w += (blocks)*col_blocks * low_bit::vector_bytes;                 \
  y += ptrdiff_t{blocks} * low_bit::block_rows
  FOR_EACH_SET(low_bit::row_blocks(rows), SET)
#undef SET
}

/// Σ code · x of half a block. `start` and the high nibbles, which come first, count 16 fold until shifted.
ALWAYS_INLINE __m256i half_dot(const uint8_t* w, const int h, const int8_t* x, const int bits,
                               __m256i start) {
  __m256i nibbles[low_bit::group_quads / 2], dot = start;
  avx2::nibbles_of(w, h, bits, nibbles);
  for (int i = 0; i < low_bit::group_quads / 2; ++i)
    dot = add_dot(dot, nibbles[i], bits == 4 ? 0xF0 : 0x70, quad_of(x, 2 * i + 1));
  dot = _mm256_srai_epi32(dot, 4);
  for (int i = 0; i < low_bit::group_quads / 2; ++i)
    dot = add_dot(dot, nibbles[i], bits == 4 ? 0x0F : 0x07, quad_of(x, 2 * i));
  return dot;
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
        sum[b][h] = _mm256_add_ps(sum[b][h], _mm256_mul_ps(dot, avx2::scales_at(scales, h)));
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
  avx2::group_starts(x, groups, -16 * (bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
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

}  // namespace models::avx2_vnni
