// AVX2 with dot products (Alder Lake, Zen 5): W interleaved by 8 rows × 4 columns and stored as code + 128,
// because vpdpbusd wants one unsigned operand; 128·Σx is subtracted beforehand. Low-bit weights have a
// file of their own; the rest is avx2's.
#include "models/kernels/avx2_vnni.hpp"

#include "models/kernels/avx2.hpp"
#include "models/kernels/avx2_math.hpp"
#include "models/kernels/interleaved.hpp"

namespace models {
namespace {

constexpr int block_rows = 8, block_bytes = 32;
constexpr int flip = 0x80;

size_t packed_bytes(int rows, int cols) {
  return interleaved::bytes(rows, cols, block_rows);
}

void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  interleaved::pack(codes, rows, cols, packed, block_rows, flip);
}

void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes) {
  interleaved::unpack_row(packed, rows, cols, row, codes, block_rows, flip);
}

/// −128·Σx in every lane. x is padded to 16.
ALWAYS_INLINE __m256i correction(const int8_t* x, int cols) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (int i = 0; i < cols; i += avx2::lanes) {
    __m256i words = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(words, ones));
  }
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm256_set1_epi32(-128 * _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1))));
}

ALWAYS_INLINE const int8_t* gemv_group(const int8_t* w, const float* scales, ptrdiff_t col_groups,
                                       const int8_t* x, __m256i start, __m256 x_scale, float* y,
                                       const int blocks) {
  __m256i sum[interleaved::most_blocks];
  for (int b = 0; b < blocks; ++b) sum[b] = start;
  for (ptrdiff_t i = 0; i < col_groups; ++i, w += blocks * block_bytes) {
    int32_t four;
    __builtin_memcpy(&four, x + i * interleaved::block_cols, sizeof four);
    for (int b = 0; b < blocks; ++b) {
      __m256i codes = _mm256_load_si256(reinterpret_cast<const __m256i*>(w + b * block_bytes));
      sum[b] = _mm256_dpbusd_avx_epi32(sum[b], codes, _mm256_set1_epi32(four));
    }
  }
  for (int b = 0; b < blocks; ++b) {
    __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(scales + b * block_rows), x_scale);
    _mm256_storeu_ps(y + b * block_rows, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(sum[b])));
  }
  return w;
}

void gemv(const int8_t* w, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y) {
  const ptrdiff_t col_groups = interleaved::col_groups(cols);
  const __m256i start = correction(x, cols);
  const __m256 scale = _mm256_set1_ps(x_scale);
#define GROUP(count)                                                \
  w = gemv_group(w, scales, col_groups, x, start, scale, y, count); \
  scales += ptrdiff_t{count} * block_rows, y += ptrdiff_t{count} * block_rows
  FOR_EACH_GROUP(interleaved::blocks(rows, block_rows), GROUP)
#undef GROUP
}

}  // namespace

extern const Kernels avx2_vnni_kernels;
constinit const Kernels avx2_vnni_kernels = {
    .isa = "avx2_vnni",
    .needs = feature_avx2 | feature_fma | feature_f16c | feature_avx_vnni,
    .packed_bytes = packed_bytes,
    .pack = pack,
    .unpack_row = unpack_row,
    .gemv = gemv,
    .gemv_float = avx2::gemv_float,
    .quantise = avx2::quantise,
    .rms_norm = avx2::rms_norm,
    .conv_step = avx2::conv_step,
    .silu_product = avx2::silu_product,
    .attention_scores = avx2::attention_scores,
    .softmax = avx2::softmax,
    .attention_values = avx2::attention_values,
    .softcap = avx2::softcap,
    .ternary_gemv = avx2_vnni::ternary_gemv,
    .group3_gemv = avx2_vnni::group3_gemv,
    .group4_gemv = avx2_vnni::group4_gemv,
};

}  // namespace models
