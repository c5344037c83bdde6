// Weights of few bits by dot products of bytes. A field is not shifted down to bit 0 but masked where
// it lies, and what was so multiplied by a power of two is shifted back in the exact 32-bit sum.
#include "models/kernels/avx2_low_bit.hpp"
#include "models/kernels/avx2_vnni.hpp"

namespace models::avx2_vnni {

using avx2::half_rows;
using avx2::quad_of;
using low_bit::most_blocks;

constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;

/// Sums of 32 bits, as the type that dot products return: as __m256i, gcc would copy each before it adds.
using Sums = int __attribute__((vector_size(32), may_alias));

/// Adds the products of the field that `mask` leaves of each code.
ALWAYS_INLINE Sums add_dot(Sums sum, __m256i codes, const int mask, __m256i quad) {
  const __m256i field = _mm256_and_si256(codes, _mm256_set1_epi8(static_cast<char>(mask)));
  return reinterpret_cast<Sums>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), field, quad));
}

/// One row block of a set: with its eight sums, the masks and the activations, 16 registers are full.
ALWAYS_INLINE void ternary_pass(const uint8_t* w, ptrdiff_t stride, ptrdiff_t col_blocks, const int8_t* x,
                                __m256i start, __m256 gamma, __m256 x_scale, float* y) {
  Sums sum[2], by_4[2], by_16[2], by_64[2];  // of quad q times 4^q
  for (int h = 0; h < 2; ++h) sum[h] = reinterpret_cast<Sums>(start), by_4[h] = by_16[h] = by_64[h] = Sums{};
  for (ptrdiff_t i = 0; i < col_blocks; ++i, w += stride) {
    const __m256i upper = avx2::half_at(w, 0, 0), lower = avx2::half_at(w, 0, 1);
    __m256i four = quad_of(x, quads * i);
    sum[0] = add_dot(sum[0], upper, 0x03, four), sum[1] = add_dot(sum[1], lower, 0x03, four);
    four = quad_of(x, quads * i + 1);
    by_4[0] = add_dot(by_4[0], upper, 0x0C, four), by_4[1] = add_dot(by_4[1], lower, 0x0C, four);
    four = quad_of(x, quads * i + 2);
    by_16[0] = add_dot(by_16[0], upper, 0x30, four), by_16[1] = add_dot(by_16[1], lower, 0x30, four);
    four = quad_of(x, quads * i + 3);
    by_64[0] = add_dot(by_64[0], upper, 0xC0, four), by_64[1] = add_dot(by_64[1], lower, 0xC0, four);
  }
  for (int h = 0; h < 2; ++h) {
    const Sums total = sum[h] + (by_4[h] >> 2) + (by_16[h] >> 4) + (by_64[h] >> 6);
    avx2::store_ternary(reinterpret_cast<__m256i>(total), gamma, x_scale, y + h * half_rows);
  }
}

ALWAYS_INLINE void ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x, __m256i start,
                               __m256 gamma, __m256 x_scale, float* y, ptrdiff_t blocks) {
  const ptrdiff_t stride = blocks * low_bit::vector_bytes;
  for (ptrdiff_t b = 0; b < blocks; ++b, w += low_bit::vector_bytes, y += low_bit::block_rows)
    ternary_pass(w, stride, col_blocks, x, start, gamma, x_scale, y);
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

/// start + Σ code · x of half a block, in two short chains; the odd quads count 16 fold.
ALWAYS_INLINE __m256i half_dot(const uint8_t* w, const int h, const int8_t* x, const int bits,
                               __m256i start) {
  const int low = bits == 4 ? 0x0F : 0x07, high = low << 4;
  __m256i nibbles[low_bit::group_quads / 2];
  avx2::nibbles_of(w, h, bits, nibbles);
  auto even = reinterpret_cast<Sums>(start);
  Sums odd = Sums{};
  for (int i = 0; i < low_bit::group_quads / 2; ++i) {
    even = add_dot(even, nibbles[i], low, quad_of(x, 2 * i));
    odd = add_dot(odd, nibbles[i], high, quad_of(x, 2 * i + 1));
  }
  return reinterpret_cast<__m256i>(even + (odd >> 4));
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
  avx2::group_starts(x, groups, -(bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
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
