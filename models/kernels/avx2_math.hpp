// What the AVX2 files share: folds, e^x, widening. Always inlined, so that no symbol is emitted
// (kernels.hpp).
#pragma once
#include <immintrin.h>

#include "models/kernels/constants.hpp"
#include "models/kernels/kernels.hpp"

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))

namespace models::avx2 {

constexpr int lanes = 16;

/// Folds 16 lanes, held as lanes 0–7 and 8–15, to one.
ALWAYS_INLINE float fold(__m256 low, __m256 high) {
  __m256 eight = _mm256_add_ps(low, high);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

ALWAYS_INLINE float highest_of(__m256 values) {
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
  __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/// The same operations in the same order as scalar::exp_f32.
ALWAYS_INLINE __m256 exp_f32(__m256 x) {
  __m256 in_range = _mm256_cmp_ps(x, _mm256_set1_ps(exp_lowest), _CMP_NLT_UQ);
  x = _mm256_min_ps(_mm256_set1_ps(exp_highest), x);
  __m256i k = _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_set1_ps(log2_e)));
  __m256 whole = _mm256_cvtepi32_ps(k);
  __m256 r = _mm256_sub_ps(x, _mm256_mul_ps(whole, _mm256_set1_ps(ln2_high)));
  r = _mm256_sub_ps(r, _mm256_mul_ps(whole, _mm256_set1_ps(ln2_low)));
  __m256 p = _mm256_set1_ps(exp_p0);
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(exp_p1));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(exp_p2));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(exp_p3));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(exp_p4));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(exp_p5));
  p = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(p, _mm256_mul_ps(r, r)), r), _mm256_set1_ps(1.0f));
  __m256i power = _mm256_slli_epi32(_mm256_add_epi32(k, _mm256_set1_epi32(127)), 23);
  return _mm256_and_ps(in_range, _mm256_mul_ps(p, _mm256_castsi256_ps(power)));
}

ALWAYS_INLINE __m256 to_floats(const int8_t* codes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes))));
}

}  // namespace models::avx2
