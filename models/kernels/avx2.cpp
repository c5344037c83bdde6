// AVX2: W interleaved by 8 rows × 4 columns, so that one vector of weights meets one broadcast of four
// activations and no horizontal sum is needed. Compiled with -mavx2 -mfma, and without contraction: only
// gemv_float fuses. See kernels.hpp for what an ISA file may not do.
#include "models/kernels/avx2.hpp"

#include "models/kernels/avx2_math.hpp"

namespace models {
namespace avx2 {

constexpr int block_rows = 8, block_cols = 4, block_bytes = 32;
constexpr int group_blocks = 4;  ///< row blocks interleaved in memory: four accumulators share each broadcast

ALWAYS_INLINE ptrdiff_t blocks_of(int rows) {
  return (rows + block_rows - 1) / block_rows;
}
ALWAYS_INLINE ptrdiff_t col_groups_of(int cols) {
  return (cols + block_cols - 1) / block_cols;
}
ALWAYS_INLINE ptrdiff_t offset_of(int rows, int cols, int row, int col) {
  ptrdiff_t block = row / block_rows, first = block / group_blocks * group_blocks;
  ptrdiff_t left = blocks_of(rows) - first, group = left < group_blocks ? left : group_blocks;
  ptrdiff_t at = first * col_groups_of(cols) + col / block_cols * group + (block - first);
  return at * block_bytes + row % block_rows * block_cols + col % block_cols;
}

static size_t packed_bytes(int rows, int cols) {
  return static_cast<size_t>(blocks_of(rows) * col_groups_of(cols) * block_bytes);
}

static void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  __builtin_memset(packed, 0, packed_bytes(rows, cols));
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col)
      packed[offset_of(rows, cols, row, col)] = codes[ptrdiff_t{row} * cols + col];
  }
}

static void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes) {
  for (int col = 0; col < cols; ++col) codes[col] = packed[offset_of(rows, cols, row, col)];
}

/// Multiplies `blocks` interleaved row blocks with x. |x| meets w carrying x's sign, because maddubs wants
/// one unsigned operand; its 16-bit pairs cannot saturate: 2 · 127 · 127 < 2^15.
ALWAYS_INLINE const int8_t* gemv_group(const int8_t* w, const float* scales, ptrdiff_t col_groups,
                                       const int8_t* x, __m256 x_scale, float* y, const int blocks) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum[group_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = _mm256_setzero_si256();
  for (ptrdiff_t i = 0; i < col_groups; ++i) {
    int32_t four;
    __builtin_memcpy(&four, x + i * block_cols, sizeof four);
    __m256i signs = _mm256_set1_epi32(four), magnitudes = _mm256_abs_epi8(signs);
    for (int b = 0; b < blocks; ++b, w += block_bytes) {
      __m256i codes = _mm256_load_si256(reinterpret_cast<const __m256i*>(w));
      __m256i pairs = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(codes, signs));
      sum[b] = _mm256_add_epi32(sum[b], _mm256_madd_epi16(pairs, ones));
    }
  }
  for (int b = 0; b < blocks; ++b) {
    __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(scales + b * block_rows), x_scale);
    _mm256_storeu_ps(y + b * block_rows, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(sum[b])));
  }
  return w;
}

static void gemv(const int8_t* w, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
                 float* y) {
  ptrdiff_t blocks = blocks_of(rows), col_groups = col_groups_of(cols), block = 0;
  __m256 scale = _mm256_set1_ps(x_scale);
  for (; block + group_blocks <= blocks; block += group_blocks) {
    w = gemv_group(w, scales + block * block_rows, col_groups, x, scale, y + block * block_rows,
                   group_blocks);
  }
  scales += block * block_rows;
  y += block * block_rows;
  if (blocks - block == 3) gemv_group(w, scales, col_groups, x, scale, y, 3);
  if (blocks - block == 2) gemv_group(w, scales, col_groups, x, scale, y, 2);
  if (blocks - block == 1) gemv_group(w, scales, col_groups, x, scale, y, 1);
}

constexpr int float_rows =
    4;  ///< rows at a time: eight accumulators, so that no chain of multiply-adds binds

ALWAYS_INLINE void float_group(const int8_t* codes, const float* scales, int stride, const float* x, float* y,
                               const int rows) {
  __m256 low[float_rows], high[float_rows];
  for (int r = 0; r < rows; ++r) low[r] = high[r] = _mm256_setzero_ps();
  for (int i = 0; i < stride; i += lanes) {
    __m256 x_low = _mm256_loadu_ps(x + i), x_high = _mm256_loadu_ps(x + i + 8);
    for (int r = 0; r < rows; ++r) {
      const int8_t* at = codes + ptrdiff_t{r} * stride + i;
      low[r] = _mm256_fmadd_ps(to_floats(at), x_low, low[r]);
      high[r] = _mm256_fmadd_ps(to_floats(at + 8), x_high, high[r]);
    }
  }
  for (int r = 0; r < rows; ++r) y[r] = scales[r] * fold(low[r], high[r]);
}

void gemv_float(const int8_t* codes, const float* scales, int rows, int cols, const float* x, float* y) {
  int stride = (cols + lanes - 1) & ~(lanes - 1), row = 0;
  for (; row + float_rows <= rows; row += float_rows) {
    float_group(codes + ptrdiff_t{row} * stride, scales + row, stride, x, y + row, float_rows);
  }
  for (; row < rows; ++row) float_group(codes + ptrdiff_t{row} * stride, scales + row, stride, x, y + row, 1);
}

}  // namespace avx2

extern const Kernels avx2_kernels;
constinit const Kernels avx2_kernels = {
    .isa = "avx2",
    .needs = feature_avx2 | feature_fma | feature_f16c,
    .packed_bytes = avx2::packed_bytes,
    .pack = avx2::pack,
    .unpack_row = avx2::unpack_row,
    .gemv = avx2::gemv,
    .gemv_float = avx2::gemv_float,
    .quantise = avx2::quantise,
    .rms_norm = avx2::rms_norm,
    .conv_step = avx2::conv_step,
    .silu_product = avx2::silu_product,
    .attention_scores = avx2::attention_scores,
    .softmax = avx2::softmax,
    .attention_values = avx2::attention_values,
    .softcap = avx2::softcap,
    .ternary_gemv = avx2::ternary_gemv,
    .group3_gemv = avx2::group3_gemv,
    .group4_gemv = avx2::group4_gemv,
};

}  // namespace models
