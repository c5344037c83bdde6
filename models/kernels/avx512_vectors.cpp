// AVX-512: the operations on one vector. Compiled with the flags of avx512.cpp.
#include "models/kernels/avx512.hpp"
#include "models/kernels/avx512_math.hpp"

namespace models::avx512 {

float quantise(const float* x, int n, int8_t* codes) {
  __m512 highest = _mm512_setzero_ps();
  for (int i = 0; i < n; i += lanes) highest = _mm512_max_ps(highest, _mm512_abs_ps(_mm512_loadu_ps(x + i)));
  float m = highest_of(highest);
  if (m < smallest_max) m = 0;
  __m512 scale = _mm512_set1_ps(m > 0 ? code_limit / m : 0.0f);
  for (int i = 0; i < n; i += lanes) {
    __m512i sixteen = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i), scale));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), _mm512_cvtsepi32_epi8(sixteen));
  }
  return m / code_limit;
}

void rms_norm(const float* x, const float* w, int n, float* y) {
  __m512 squares = _mm512_setzero_ps();
  for (int i = 0; i < n; i += lanes) {
    __m512 a = _mm512_loadu_ps(x + i);
    squares = _mm512_add_ps(squares, _mm512_mul_ps(a, a));
  }
  float mean = fold(squares) / static_cast<float>(n) + rms_epsilon;
  __m512 inverse = _mm512_set1_ps(1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean))));
  for (int i = 0; i < n; i += lanes) {
    __m512 normed = _mm512_mul_ps(_mm512_loadu_ps(x + i), inverse);
    _mm512_storeu_ps(y + i, _mm512_mul_ps(normed, _mm512_loadu_ps(w + i)));
  }
}

void conv_step(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
               float* c) {
  for (int i = 0; i < n; i += lanes) {
    __m512 p0 = _mm512_mul_ps(to_floats(taps + i), _mm512_loadu_ps(history[0] + i));
    __m512 p1 = _mm512_mul_ps(to_floats(taps + stride + i), _mm512_loadu_ps(history[1] + i));
    __m512 p2 = _mm512_mul_ps(to_floats(taps + 2 * stride + i), _mm512_loadu_ps(history[2] + i));
    __m512 p3 = _mm512_mul_ps(to_floats(taps + 3 * stride + i), _mm512_loadu_ps(history[3] + i));
    __m512 sum = _mm512_add_ps(_mm512_add_ps(p0, p2), _mm512_add_ps(p1, p3));
    _mm512_storeu_ps(c + i, _mm512_mul_ps(_mm512_loadu_ps(scales + i), sum));
  }
}

void silu_product(const float* a, const float* b, int n, float* y) {
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  const __m512 one = _mm512_set1_ps(1.0f);
  for (int i = 0; i < n; i += lanes) {
    __m512 x = _mm512_loadu_ps(a + i);
    __m512 minus_x = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
    __m512 silu = _mm512_div_ps(x, _mm512_add_ps(one, exp_f32(minus_x)));
    _mm512_storeu_ps(y + i, _mm512_mul_ps(silu, _mm512_loadu_ps(b + i)));
  }
}

void softcap(float* logits, int n, float cap) {
  const __m512 scale = _mm512_set1_ps(2.0f / cap), one = _mm512_set1_ps(1.0f), top = _mm512_set1_ps(cap);
  for (int i = 0; i < n; i += lanes) {
    __m512 e = exp_f32(_mm512_mul_ps(_mm512_loadu_ps(logits + i), scale));
    __m512 tanh = _mm512_div_ps(_mm512_sub_ps(e, one), _mm512_add_ps(e, one));
    _mm512_storeu_ps(logits + i, _mm512_mul_ps(top, tanh));
  }
}

}  // namespace models::avx512
