// AVX2: attention, 16 positions at a time; K and V are read once for all query heads of a batch. Compiled
// with the flags of avx2.cpp.
#include "models/kernels/avx2.hpp"
#include "models/kernels/avx2_math.hpp"

namespace models::avx2 {

constexpr int batch_heads = 4;  ///< query heads that share a loaded tile: 8 accumulators of 16 registers

/// Widens the codes of q to pairs of 16 bits, then runs 16 positions at a time: a pair of dimensions is
/// interleaved so that madd adds it up.
ALWAYS_INLINE void score_heads(const AttentionGroup* g, int first, const int heads) {
  int32_t q[batch_heads][max_head_dim / 2];
  int pairs = g->head_dim / 2;
  for (int h = 0; h < heads; ++h) {
    const int8_t* codes = g->q + (first + h) * g->q_stride;
    for (int i = 0; i < pairs; ++i) q[h][i] = (codes[2 * i + 1] * 65536) | (codes[2 * i] & 0xFFFF);
  }
  const __m256 inverse = _mm256_set1_ps(g->inverse_sqrt_head_dim);
  const int8_t* key = g->keys;
  for (int j = 0; j < g->positions; j += kv_tile_positions) {
    __m256i low[batch_heads], high[batch_heads];
    for (int h = 0; h < heads; ++h) low[h] = high[h] = _mm256_setzero_si256();
    for (int i = 0; i < pairs; ++i, key += 2 * kv_tile_positions) {
      __m128i even = _mm_loadu_si128(reinterpret_cast<const __m128i*>(key));
      __m128i odd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(key + kv_tile_positions));
      __m256i k_low = _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(even, odd));
      __m256i k_high = _mm256_cvtepi8_epi16(_mm_unpackhi_epi8(even, odd));
      for (int h = 0; h < heads; ++h) {
        __m256i pair = _mm256_set1_epi32(q[h][i]);
        low[h] = _mm256_add_epi32(low[h], _mm256_madd_epi16(k_low, pair));
        high[h] = _mm256_add_epi32(high[h], _mm256_madd_epi16(k_high, pair));
      }
    }
    __m256 scale_low = _mm256_loadu_ps(g->key_scales + j),
           scale_high = _mm256_loadu_ps(g->key_scales + j + 8);
    for (int h = 0; h < heads; ++h) {
      __m256 q_scale = _mm256_set1_ps(g->q_scales[first + h]);
      float* to = g->weights + ptrdiff_t{first + h} * g->weights_stride + j;
      __m256 a = _mm256_mul_ps(_mm256_mul_ps(q_scale, scale_low), inverse);
      __m256 b = _mm256_mul_ps(_mm256_mul_ps(q_scale, scale_high), inverse);
      _mm256_storeu_ps(to, _mm256_mul_ps(a, _mm256_cvtepi32_ps(low[h])));
      _mm256_storeu_ps(to + 8, _mm256_mul_ps(b, _mm256_cvtepi32_ps(high[h])));
    }
  }
}

void attention_scores(const AttentionGroup* g) {
  int h = 0;
  for (; h + batch_heads <= g->heads; h += batch_heads) score_heads(g, h, batch_heads);
  for (; h < g->heads; ++h) score_heads(g, h, 1);
}

void softmax(float* row, const float* value_scales, int positions) {
  // e^−∞ is 0, so whole vectors may run over the padding.
  int end = (positions + lanes - 1) & ~(lanes - 1);
  for (int j = positions; j < end; ++j) row[j] = -__builtin_inff();
  __m256 highest = _mm256_loadu_ps(row);
  for (int j = 8; j < end; j += 8) highest = _mm256_max_ps(highest, _mm256_loadu_ps(row + j));
  __m256 top = _mm256_set1_ps(highest_of(highest)), low = _mm256_setzero_ps(), high = _mm256_setzero_ps();
  for (int j = 0; j < end; j += lanes) {
    __m256 a = exp_f32(_mm256_sub_ps(_mm256_loadu_ps(row + j), top));
    __m256 b = exp_f32(_mm256_sub_ps(_mm256_loadu_ps(row + j + 8), top));
    low = _mm256_add_ps(low, a);
    high = _mm256_add_ps(high, b);
    _mm256_storeu_ps(row + j, a);
    _mm256_storeu_ps(row + j + 8, b);
  }
  __m256 inverse = _mm256_set1_ps(1.0f / fold(low, high));
  for (int j = 0; j < end; j += 8) {
    __m256 e = _mm256_mul_ps(_mm256_loadu_ps(row + j), inverse);
    _mm256_storeu_ps(row + j, _mm256_mul_ps(e, _mm256_loadu_ps(value_scales + j)));
  }
}

ALWAYS_INLINE void weigh_values(const AttentionGroup* g, int first, const int heads) {
  const float* weights = g->weights + ptrdiff_t{first} * g->weights_stride;
  for (int p = 0; p < g->head_dim; ++p) {
    const int8_t* value = g->values + p * kv_tile_positions;
    __m256 low[batch_heads], high[batch_heads];
    for (int h = 0; h < heads; ++h) low[h] = high[h] = _mm256_setzero_ps();
    for (int j = 0; j < g->positions; j += kv_tile_positions, value += g->head_dim * kv_tile_positions) {
      __m256 v_low = to_floats(value), v_high = to_floats(value + 8);
      for (int h = 0; h < heads; ++h) {
        const float* w = weights + ptrdiff_t{h} * g->weights_stride + j;
        low[h] = _mm256_add_ps(low[h], _mm256_mul_ps(v_low, _mm256_loadu_ps(w)));
        high[h] = _mm256_add_ps(high[h], _mm256_mul_ps(v_high, _mm256_loadu_ps(w + 8)));
      }
    }
    for (int h = 0; h < heads; ++h) g->out[(first + h) * g->head_dim + p] = fold(low[h], high[h]);
  }
}

void attention_values(const AttentionGroup* g) {
  int h = 0;
  for (; h + batch_heads <= g->heads; h += batch_heads) weigh_values(g, h, batch_heads);
  for (; h < g->heads; ++h) weigh_values(g, h, 1);
}

}  // namespace models::avx2
