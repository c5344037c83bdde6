// AVX-512 without dot products (Skylake-SP): W interleaved by 16 rows × 4 columns. Compiled with -mavx512f
// -mavx512bw, and without contraction: only gemv_float fuses. See kernels.hpp for what an ISA file may not
// do.
#include "models/kernels/avx512.hpp"

#include "models/kernels/avx512_math.hpp"
#include "models/kernels/interleaved.hpp"

namespace models {
namespace avx512 {

constexpr int block_rows = 16, block_bytes = 64;

static size_t packed_bytes(int rows, int cols) {
  return interleaved::bytes(rows, cols, block_rows);
}

static void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  interleaved::pack(codes, rows, cols, packed, block_rows, 0);
}

static void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes) {
  interleaved::unpack_row(packed, rows, cols, row, codes, block_rows, 0);
}

/// Multiplies `blocks` interleaved row blocks with x. |x| meets w carrying x's sign, because maddubs wants
/// one unsigned operand; its 16-bit pairs cannot saturate: 2 · 127 · 127 < 2^15.
ALWAYS_INLINE const int8_t* gemv_group(const int8_t* w, const float* scales, ptrdiff_t col_groups,
                                       const int8_t* x, __m512 x_scale, float* y, const int blocks) {
  const __m512i ones = _mm512_set1_epi16(1), zero = _mm512_setzero_si512();
  __m512i sum[interleaved::most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = zero;
  for (ptrdiff_t i = 0; i < col_groups; ++i) {
    int32_t four;
    __builtin_memcpy(&four, x + i * interleaved::block_cols, sizeof four);
    __m512i signs = _mm512_set1_epi32(four), magnitudes = _mm512_abs_epi8(signs);
    __mmask64 negative = _mm512_movepi8_mask(signs);
    for (int b = 0; b < blocks; ++b, w += block_bytes) {
      __m512i codes = _mm512_load_si512(w);
      __m512i pairs = _mm512_maddubs_epi16(magnitudes, _mm512_mask_sub_epi8(codes, negative, zero, codes));
      sum[b] = _mm512_add_epi32(sum[b], _mm512_madd_epi16(pairs, ones));
    }
  }
  for (int b = 0; b < blocks; ++b) {
    __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(scales + b * block_rows), x_scale);
    _mm512_storeu_ps(y + b * block_rows, _mm512_mul_ps(scale, _mm512_cvtepi32_ps(sum[b])));
  }
  return w;
}

static void gemv(const int8_t* w, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
                 float* y) {
  ptrdiff_t col_groups = interleaved::col_groups(cols);
  __m512 scale = _mm512_set1_ps(x_scale);
#define GROUP(count)                                         \
  w = gemv_group(w, scales, col_groups, x, scale, y, count); \
  scales += ptrdiff_t{count} * block_rows, y += ptrdiff_t{count} * block_rows
  FOR_EACH_GROUP(interleaved::blocks(rows, block_rows), GROUP)
#undef GROUP
}

constexpr int float_rows = 8;  ///< rows at a time, so that no chain of multiply-adds binds

ALWAYS_INLINE void float_group(const int8_t* codes, const float* scales, int stride, const float* x, float* y,
                               const int rows) {
  __m512 sum[float_rows];
  for (int r = 0; r < rows; ++r) sum[r] = _mm512_setzero_ps();
  for (int i = 0; i < stride; i += lanes) {
    __m512 sixteen = _mm512_loadu_ps(x + i);
    for (int r = 0; r < rows; ++r)
      sum[r] = _mm512_fmadd_ps(to_floats(codes + ptrdiff_t{r} * stride + i), sixteen, sum[r]);
  }
  for (int r = 0; r < rows; ++r) y[r] = scales[r] * fold(sum[r]);
}

void gemv_float(const int8_t* codes, const float* scales, int rows, int cols, const float* x, float* y) {
  int stride = (cols + lanes - 1) & ~(lanes - 1), row = 0;
  for (; row + float_rows <= rows; row += float_rows) {
    float_group(codes + ptrdiff_t{row} * stride, scales + row, stride, x, y + row, float_rows);
  }
  for (; row < rows; ++row) float_group(codes + ptrdiff_t{row} * stride, scales + row, stride, x, y + row, 1);
}

}  // namespace avx512

extern const Kernels avx512_kernels;
constinit const Kernels avx512_kernels = {
    .isa = "avx512",
    .needs = feature_avx2 | feature_fma | feature_avx512f | feature_avx512bw | feature_avx512vl,
    .packed_bytes = avx512::packed_bytes,
    .pack = avx512::pack,
    .unpack_row = avx512::unpack_row,
    .gemv = avx512::gemv,
    .gemv_float = avx512::gemv_float,
    .quantise = avx512::quantise,
    .rms_norm = avx512::rms_norm,
    .conv_step = avx512::conv_step,
    .silu_product = avx512::silu_product,
    .attention_scores = avx512::attention_scores,
    .softmax = avx512::softmax,
    .attention_values = avx512::attention_values,
    .softcap = avx512::softcap,
    .ternary_gemv = avx512::ternary_gemv,
    .group3_gemv = avx512::group3_gemv,
    .group4_gemv = avx512::group4_gemv,
};

}  // namespace models
