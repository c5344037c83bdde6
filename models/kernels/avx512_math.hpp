// What the AVX-512 files share: folds, e^x, widening. Always inlined, so that no symbol is emitted
// (kernels.hpp).
#pragma once
#include <immintrin.h>

#include "models/kernels/constants.hpp"
#include "models/kernels/kernels.hpp"

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))

namespace models::avx512 {

constexpr int lanes = 16;

ALWAYS_INLINE __m256 upper_half(__m512 sixteen) {
  return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sixteen), 1));
}

/// Folds 16 lanes to one by adding the upper half to the lower.
ALWAYS_INLINE float fold(__m512 sixteen) {
  __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(sixteen), upper_half(sixteen));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

ALWAYS_INLINE float highest_of(__m512 sixteen) {
  __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(sixteen), upper_half(sixteen));
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

ALWAYS_INLINE __m512 to_floats(const int8_t* codes) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes))));
}

/// The same operations in the same order as scalar::exp_f32.
ALWAYS_INLINE __m512 exp_f32(__m512 x) {
  __mmask16 in_range = _mm512_cmp_ps_mask(x, _mm512_set1_ps(exp_lowest), _CMP_NLT_UQ);
  x = _mm512_min_ps(_mm512_set1_ps(exp_highest), x);
  __m512i k = _mm512_cvtps_epi32(_mm512_mul_ps(x, _mm512_set1_ps(log2_e)));
  __m512 whole = _mm512_cvtepi32_ps(k);
  __m512 r = _mm512_sub_ps(x, _mm512_mul_ps(whole, _mm512_set1_ps(ln2_high)));
  r = _mm512_sub_ps(r, _mm512_mul_ps(whole, _mm512_set1_ps(ln2_low)));
  __m512 p = _mm512_set1_ps(exp_p0);
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(exp_p1));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(exp_p2));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(exp_p3));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(exp_p4));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(exp_p5));
  p = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(p, _mm512_mul_ps(r, r)), r), _mm512_set1_ps(1.0f));
  __m512i power = _mm512_slli_epi32(_mm512_add_epi32(k, _mm512_set1_epi32(127)), 23);
  return _mm512_maskz_mul_ps(in_range, p, _mm512_castsi512_ps(power));
}

}  // namespace models::avx512
