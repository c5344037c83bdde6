// Weights of few bits by dot products of bytes. A field is not shifted down to bit 0 but masked where it
// lies, and what was so multiplied by a power of two is shifted back in the exact 32-bit sum.
#include "models/kernels/avx512_low_bit.hpp"
#include "models/kernels/avx512_vnni.hpp"

namespace models::avx512_vnni {

using avx512::quad_of;
using low_bit::most_blocks;

constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;

ALWAYS_INLINE const uint8_t* ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x,
                                         __m512i start, __m512 gamma, __m512 x_scale, float* y,
                                         const int blocks) {
  __m512i sum[most_blocks][quads];  // [][q]: of quad q, times 4^q
  for (int b = 0; b < blocks; ++b) {
    for (int q = 0; q < quads; ++q) sum[b][q] = q == 0 ? start : _mm512_setzero_si512();
  }
  for (ptrdiff_t i = 0; i < col_blocks; ++i) {
    for (int b = 0; b < blocks; ++b, w += low_bit::vector_bytes) {
      const __m512i codes = _mm512_load_si512(w);
      for (int q = 0; q < quads; ++q) {
        const __m512i field = _mm512_and_si512(codes, _mm512_set1_epi8(static_cast<char>(3 << 2 * q)));
        sum[b][q] = _mm512_dpbusd_epi32(sum[b][q], field, quad_of(x, quads * i + q));
      }
    }
  }
  for (int b = 0; b < blocks; ++b) {
    __m512i total = sum[b][0];
    total = _mm512_add_epi32(total, _mm512_srai_epi32(sum[b][1], 2));
    total = _mm512_add_epi32(total, _mm512_srai_epi32(sum[b][2], 4));
    total = _mm512_add_epi32(total, _mm512_srai_epi32(sum[b][3], 6));
    const __m512 of_code = _mm512_mul_ps(_mm512_cvtepi32_ps(total), gamma);
    _mm512_storeu_ps(y + b * low_bit::block_rows, _mm512_mul_ps(of_code, x_scale));
  }
  return w;
}

void ternary_gemv(const uint8_t* w, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  const ptrdiff_t col_blocks = (cols + low_bit::ternary_cols - 1) / low_bit::ternary_cols;
  const __m512i start = _mm512_sub_epi32(_mm512_setzero_si512(), avx512::sum_of(x, cols));
  const __m512 of_codes = _mm512_set1_ps(gamma), scale = _mm512_set1_ps(x_scale);
#define SET(blocks)                                                     \
  w = ternary_set(w, col_blocks, x, start, of_codes, scale, y, blocks); \
  y += ptrdiff_t{blocks} * low_bit::block_rows
  FOR_EACH_SET(low_bit::row_blocks(rows), SET)
#undef SET
}

/// The rows' sums over the groups of a set of row blocks. starts: −16 · bias · Σx of each group, because the
/// high nibbles come first and count 16 fold until the sum is shifted.
ALWAYS_INLINE void group_set(const uint8_t* w, const uint8_t* scales, ptrdiff_t groups, const int8_t* x,
                             const int32_t* starts, __m512 x_scale, float* y, const int bits,
                             const int blocks) {
  const __m512i low = _mm512_set1_epi8(bits == 4 ? 0x0F : 0x07);
  const __m512i high = _mm512_set1_epi8(static_cast<char>(bits == 4 ? 0xF0 : 0x70));
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  __m512 sum[most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = _mm512_setzero_ps();
  for (ptrdiff_t g = 0; g < groups; ++g, x += low_bit::group_cols) {
    const __m512i start = _mm512_set1_epi32(starts[g]);
    for (int b = 0; b < blocks; ++b, w += block_bytes, scales += low_bit::scale_bytes) {
      __m512i nibbles[low_bit::group_quads / 2], dot = start;
      avx512::nibbles_of(w, bits, nibbles);
      for (int i = 0; i < low_bit::group_quads / 2; ++i)
        dot = _mm512_dpbusd_epi32(dot, _mm512_and_si512(nibbles[i], high), quad_of(x, 2 * i + 1));
      dot = _mm512_srai_epi32(dot, 4);
      for (int i = 0; i < low_bit::group_quads / 2; ++i)
        dot = _mm512_dpbusd_epi32(dot, _mm512_and_si512(nibbles[i], low), quad_of(x, 2 * i));
      sum[b] = _mm512_add_ps(sum[b], _mm512_mul_ps(_mm512_cvtepi32_ps(dot), avx512::scales_at(scales)));
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
  avx512::group_starts(x, groups, -16 * (bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
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

}  // namespace models::avx512_vnni
