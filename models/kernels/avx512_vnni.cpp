// AVX-512 with dot products (Cascade Lake, Zen 4 and later): W interleaved by 16 rows × 4 columns and stored
// as code + 128, because vpdpbusd wants one unsigned operand; 128·Σx is subtracted beforehand. Low-bit
// weights have a file of their own; the rest is avx512's.
#include "models/kernels/avx512_vnni.hpp"

#include "models/kernels/avx512.hpp"
#include "models/kernels/avx512_math.hpp"
#include "models/kernels/interleaved.hpp"

namespace models {
namespace {

constexpr int block_rows = 16, block_bytes = 64;
constexpr int flip = 0x80;
constexpr int short_group = 3;  ///< blocks up to which even and odd columns get accumulators of their own

size_t packed_bytes(int rows, int cols) {
  return interleaved::bytes(rows, cols, block_rows);
}

void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  interleaved::pack(codes, rows, cols, packed, block_rows, flip);
}

void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes) {
  interleaved::unpack_row(packed, rows, cols, row, codes, block_rows, flip);
}

ALWAYS_INLINE __m512i four_of(const int8_t* x, ptrdiff_t col_group) {
  int32_t four;
  __builtin_memcpy(&four, x + col_group * interleaved::block_cols, sizeof four);
  return _mm512_set1_epi32(four);
}

/// −128·Σx in every lane. x is padded to 16.
ALWAYS_INLINE __m512i correction(const int8_t* x, int cols) {
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < cols; i += avx512::lanes)
    sum =
        _mm512_add_epi32(sum, _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  return _mm512_set1_epi32(-128 * _mm512_reduce_add_epi32(sum));
}

ALWAYS_INLINE const int8_t* gemv_group(const int8_t* w, const float* scales, ptrdiff_t col_groups,
                                       const int8_t* x, __m512i start, __m512 x_scale, float* y,
                                       const int blocks) {
  __m512i sum[interleaved::most_blocks], odd[short_group];
  for (int b = 0; b < blocks; ++b) sum[b] = start;
  ptrdiff_t i = 0;
  if (blocks <= short_group) {
    for (int b = 0; b < blocks; ++b) odd[b] = _mm512_setzero_si512();
    for (; i + 2 <= col_groups; i += 2, w += 2 * blocks * block_bytes) {
      __m512i four = four_of(x, i), next = four_of(x, i + 1);
      for (int b = 0; b < blocks; ++b) {
        sum[b] = _mm512_dpbusd_epi32(sum[b], _mm512_load_si512(w + b * block_bytes), four);
        odd[b] = _mm512_dpbusd_epi32(odd[b], _mm512_load_si512(w + (blocks + b) * block_bytes), next);
      }
    }
    for (int b = 0; b < blocks; ++b) sum[b] = _mm512_add_epi32(sum[b], odd[b]);
  }
  for (; i < col_groups; ++i, w += blocks * block_bytes) {
    __m512i four = four_of(x, i);
    for (int b = 0; b < blocks; ++b)
      sum[b] = _mm512_dpbusd_epi32(sum[b], _mm512_load_si512(w + b * block_bytes), four);
  }
  for (int b = 0; b < blocks; ++b) {
    __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(scales + b * block_rows), x_scale);
    _mm512_storeu_ps(y + b * block_rows, _mm512_mul_ps(scale, _mm512_cvtepi32_ps(sum[b])));
  }
  return w;
}

void gemv(const int8_t* w, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y) {
  const ptrdiff_t col_groups = interleaved::col_groups(cols);
  const __m512i start = correction(x, cols);
  const __m512 scale = _mm512_set1_ps(x_scale);
#define GROUP(count)                                                \
  w = gemv_group(w, scales, col_groups, x, start, scale, y, count); \
  scales += ptrdiff_t{count} * block_rows, y += ptrdiff_t{count} * block_rows
  FOR_EACH_GROUP(interleaved::blocks(rows, block_rows), GROUP)
#undef GROUP
}

}  // namespace

extern const Kernels avx512_vnni_kernels;
constinit const Kernels avx512_vnni_kernels = {
    .isa = "avx512_vnni",
    .needs = feature_avx2 | feature_fma | feature_avx512f | feature_avx512bw | feature_avx512vl |
             feature_avx512_vnni,
    .packed_bytes = packed_bytes,
    .pack = pack,
    .unpack_row = unpack_row,
    .gemv = gemv,
    .gemv_float = avx512::gemv_float,
    .quantise = avx512::quantise,
    .rms_norm = avx512::rms_norm,
    .conv_step = avx512::conv_step,
    .silu_product = avx512::silu_product,
    .attention_scores = avx512::attention_scores,
    .softmax = avx512::softmax,
    .attention_values = avx512::attention_values,
    .softcap = avx512::softcap,
    .ternary_gemv = avx512_vnni::ternary_gemv,
    .group3_gemv = avx512_vnni::group3_gemv,
    .group4_gemv = avx512_vnni::group4_gemv,
};

}  // namespace models
