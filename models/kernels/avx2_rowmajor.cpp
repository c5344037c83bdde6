// AVX2 with the GEMV of the published runtime, which the claims under test were made with: row-major codes
// widened to 16 bits, multiplied in pairs into four accumulators, and summed up at the end of each row. It
// differs from avx2 in this one operation, so that what the interleave is worth can be measured. Nothing here
// is slowed down.
#include <immintrin.h>

#include "models/kernels/avx2.hpp"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

namespace models {
namespace {

constexpr int lanes = 16;
/// Columns of x that are widened once per product; wider rows widen as they go.
constexpr int widened_cols = 8192;

size_t packed_bytes(int rows, int cols) {
  // The last vector of the last row may read this far beyond it; x is zero there.
  return static_cast<size_t>(rows) * static_cast<size_t>(cols) + lanes;
}

void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  const size_t bytes = static_cast<size_t>(rows) * static_cast<size_t>(cols);
  __builtin_memcpy(packed, codes, bytes);
  __builtin_memset(packed + bytes, 0, lanes);
}

void unpack_row(const int8_t* packed, int /*rows*/, int cols, int row, int8_t* codes) {
  __builtin_memcpy(codes, packed + ptrdiff_t{row} * cols, static_cast<size_t>(cols));
}

ALWAYS_INLINE __m256i widen(const int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
}

ALWAYS_INLINE int32_t sum_of(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i eight = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

/// 16 columns of x from i on; `wide` is x widened beforehand, or null.
ALWAYS_INLINE __m256i x_at(const int8_t* x, const int16_t* wide, int i) {
  return wide != nullptr ? _mm256_load_si256(reinterpret_cast<const __m256i*>(wide + i)) : widen(x + i);
}

ALWAYS_INLINE int32_t dot(const int8_t* w, const int8_t* x, const int16_t* wide, int cols) {
  __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
  int i = 0;
  for (; i + 4 * lanes <= cols; i += 4 * lanes) {
    a = _mm256_add_epi32(a, _mm256_madd_epi16(widen(w + i), x_at(x, wide, i)));
    b = _mm256_add_epi32(b, _mm256_madd_epi16(widen(w + i + 16), x_at(x, wide, i + 16)));
    c = _mm256_add_epi32(c, _mm256_madd_epi16(widen(w + i + 32), x_at(x, wide, i + 32)));
    d = _mm256_add_epi32(d, _mm256_madd_epi16(widen(w + i + 48), x_at(x, wide, i + 48)));
  }
  for (; i < cols; i += lanes) a = _mm256_add_epi32(a, _mm256_madd_epi16(widen(w + i), x_at(x, wide, i)));
  return sum_of(a, b, c, d);
}

void gemv(const int8_t* w, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y) {
  if (cols > widened_cols) {
    for (int r = 0; r < rows; ++r) {
      y[r] = scales[r] * x_scale * static_cast<float>(dot(w + ptrdiff_t{r} * cols, x, nullptr, cols));
    }
    return;
  }
  alignas(32) int16_t wide[widened_cols];
  for (int i = 0; i < cols; i += lanes)
    _mm256_store_si256(reinterpret_cast<__m256i*>(wide + i), widen(x + i));
  for (int r = 0; r < rows; ++r) {
    y[r] = scales[r] * x_scale * static_cast<float>(dot(w + ptrdiff_t{r} * cols, x, wide, cols));
  }
}

}  // namespace

extern const Kernels avx2_rowmajor_kernels;
constinit const Kernels avx2_rowmajor_kernels = {
    .isa = "avx2_rowmajor",
    .needs = feature_avx2 | feature_fma | feature_f16c,
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
    .ternary_gemv = avx2::ternary_gemv,
    .group3_gemv = avx2::group3_gemv,
    .group4_gemv = avx2::group4_gemv,
};

}  // namespace models
