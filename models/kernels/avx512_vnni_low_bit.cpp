// Weights of few bits by dot products of bytes. A field is not shifted down to bit 0 but masked where it
// lies, and what was so multiplied by a power of two is shifted back in the exact 32-bit sum.
#include "models/kernels/avx512_low_bit.hpp"
#include "models/kernels/avx512_vnni.hpp"

namespace models::avx512_vnni {

using avx512::quad_of;
using low_bit::most_blocks;

constexpr int quads = low_bit::ternary_cols / low_bit::quad_cols;

/// Sums of 32 bits, as the type that dot products return: as __m512i, gcc would copy each before it adds.
using Sums = int __attribute__((vector_size(64), may_alias));

/// Adds the products of the field that `mask` leaves of each code.
ALWAYS_INLINE Sums add_dot(Sums sum, __m512i codes, const int mask, __m512i quad) {
  const __m512i field = _mm512_and_si512(codes, _mm512_set1_epi8(static_cast<char>(mask)));
  return reinterpret_cast<Sums>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), field, quad));
}

ALWAYS_INLINE const uint8_t* ternary_set(const uint8_t* w, ptrdiff_t col_blocks, const int8_t* x,
                                         __m512i start, __m512 gamma, __m512 x_scale, float* y,
                                         const int blocks) {
  // Of quad q times 4^q. Four arrays, not one of two dimensions, which gcc would keep in memory.
  Sums sum[most_blocks], by_4[most_blocks], by_16[most_blocks], by_64[most_blocks];
  for (int b = 0; b < blocks; ++b)
    sum[b] = reinterpret_cast<Sums>(start), by_4[b] = by_16[b] = by_64[b] = Sums{};
  for (ptrdiff_t i = 0; i < col_blocks; ++i) {
    const __m512i x0 = quad_of(x, quads * i), x1 = quad_of(x, quads * i + 1), x2 = quad_of(x, quads * i + 2),
                  x3 = quad_of(x, quads * i + 3);
    for (int b = 0; b < blocks; ++b, w += low_bit::vector_bytes) {
      const __m512i codes = _mm512_load_si512(w);
      sum[b] = add_dot(sum[b], codes, 0x03, x0);
      by_4[b] = add_dot(by_4[b], codes, 0x0C, x1);
      by_16[b] = add_dot(by_16[b], codes, 0x30, x2);
      by_64[b] = add_dot(by_64[b], codes, 0xC0, x3);
    }
  }
  for (int b = 0; b < blocks; ++b) {
    const Sums total = sum[b] + (by_4[b] >> 2) + (by_16[b] >> 4) + (by_64[b] >> 6);
    const __m512 of_code = _mm512_mul_ps(_mm512_cvtepi32_ps(reinterpret_cast<__m512i>(total)), gamma);
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

/// The rows of a set of row blocks. starts: −bias · Σx of each group.
ALWAYS_INLINE void group_set(const uint8_t* w, const uint8_t* scales, ptrdiff_t groups, const int8_t* x,
                             const int32_t* starts, __m512 x_scale, float* y, const int bits,
                             const int blocks) {
  const int low = bits == 4 ? 0x0F : 0x07, high = low << 4;
  const int block_bytes = bits == 4 ? low_bit::group4_bytes : low_bit::group3_bytes;
  __m512 sum[most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = _mm512_setzero_ps();
  for (ptrdiff_t g = 0; g < groups; ++g, x += low_bit::group_cols) {
    const auto start = reinterpret_cast<Sums>(_mm512_set1_epi32(starts[g]));
    for (int b = 0; b < blocks; ++b, w += block_bytes, scales += low_bit::scale_bytes) {
      __m512i nibbles[low_bit::group_quads / 2];
      avx512::nibbles_of(w, bits, nibbles);
      Sums even = start, odd = Sums{};  // two short chains; the odd quads count 16 fold
      for (int i = 0; i < low_bit::group_quads / 2; ++i) {
        even = add_dot(even, nibbles[i], low, quad_of(x, 2 * i));
        odd = add_dot(odd, nibbles[i], high, quad_of(x, 2 * i + 1));
      }
      const __m512 whole = _mm512_cvtepi32_ps(reinterpret_cast<__m512i>(even + (odd >> 4)));
      sum[b] = _mm512_add_ps(sum[b], _mm512_mul_ps(whole, avx512::scales_at(scales)));
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
  avx512::group_starts(x, groups, -(bits == 4 ? low_bit::group4_bias : low_bit::group3_bias), starts);
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
