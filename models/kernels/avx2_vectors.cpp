// AVX2: the operations on one vector. Compiled with the flags of avx2.cpp.
#include "models/kernels/avx2.hpp"
#include "models/kernels/avx2_math.hpp"

namespace models::avx2 {

float quantise(const float* x, int n, int8_t* codes) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 highest = _mm256_setzero_ps();
  for (int i = 0; i < n; i += 8)
    highest = _mm256_max_ps(highest, _mm256_andnot_ps(sign, _mm256_loadu_ps(x + i)));
  float m = highest_of(highest);
  if (m < smallest_max) m = 0;
  __m256 scale = _mm256_set1_ps(m > 0 ? code_limit / m : 0.0f);
  for (int i = 0; i < n; i += lanes) {
    __m256i low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), scale));
    __m256i high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8), scale));
    __m256i sixteen = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(sixteen), _mm256_extracti128_si256(sixteen, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), bytes);
  }
  return m / code_limit;
}

void rms_norm(const float* x, const float* w, int n, float* y) {
  __m256 low = _mm256_setzero_ps(), high = _mm256_setzero_ps();
  for (int i = 0; i < n; i += lanes) {
    __m256 a = _mm256_loadu_ps(x + i), b = _mm256_loadu_ps(x + i + 8);
    low = _mm256_add_ps(low, _mm256_mul_ps(a, a));
    high = _mm256_add_ps(high, _mm256_mul_ps(b, b));
  }
  float mean = fold(low, high) / static_cast<float>(n) + rms_epsilon;
  __m256 inverse = _mm256_set1_ps(1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean))));
  for (int i = 0; i < n; i += 8) {
    __m256 normed = _mm256_mul_ps(_mm256_loadu_ps(x + i), inverse);
    _mm256_storeu_ps(y + i, _mm256_mul_ps(normed, _mm256_loadu_ps(w + i)));
  }
}

void conv_step(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
               float* c) {
  for (int i = 0; i < n; i += 8) {
    __m256 p0 = _mm256_mul_ps(to_floats(taps + i), _mm256_loadu_ps(history[0] + i));
    __m256 p1 = _mm256_mul_ps(to_floats(taps + stride + i), _mm256_loadu_ps(history[1] + i));
    __m256 p2 = _mm256_mul_ps(to_floats(taps + 2 * stride + i), _mm256_loadu_ps(history[2] + i));
    __m256 p3 = _mm256_mul_ps(to_floats(taps + 3 * stride + i), _mm256_loadu_ps(history[3] + i));
    __m256 sum = _mm256_add_ps(_mm256_add_ps(p0, p2), _mm256_add_ps(p1, p3));
    _mm256_storeu_ps(c + i, _mm256_mul_ps(_mm256_loadu_ps(scales + i), sum));
  }
}

void silu_product(const float* a, const float* b, int n, float* y) {
  const __m256 sign = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1.0f);
  for (int i = 0; i < n; i += 8) {
    __m256 x = _mm256_loadu_ps(a + i);
    __m256 silu = _mm256_div_ps(x, _mm256_add_ps(one, exp_f32(_mm256_xor_ps(x, sign))));
    _mm256_storeu_ps(y + i, _mm256_mul_ps(silu, _mm256_loadu_ps(b + i)));
  }
}

void softcap(float* logits, int n, float cap) {
  const __m256 scale = _mm256_set1_ps(2.0f / cap), one = _mm256_set1_ps(1.0f), top = _mm256_set1_ps(cap);
  for (int i = 0; i < n; i += 8) {
    __m256 e = exp_f32(_mm256_mul_ps(_mm256_loadu_ps(logits + i), scale));
    __m256 tanh = _mm256_div_ps(_mm256_sub_ps(e, one), _mm256_add_ps(e, one));
    _mm256_storeu_ps(logits + i, _mm256_mul_ps(top, tanh));
  }
}

}  // namespace models::avx2
