// AVX-512: attention, 16 positions at a time; K and V are read once for all query heads of a batch. Compiled
// with the flags of avx512.cpp.
#include "models/kernels/avx512.hpp"
#include "models/kernels/avx512_math.hpp"

namespace models::avx512 {

constexpr int batch_heads = 8;  ///< query heads that share a loaded tile: eight accumulators of 32 registers

/// Puts the codes of two dimensions side by side as 16-bit pairs, one pair per position, so that madd adds
/// them up.
ALWAYS_INLINE __m512i paired(const int8_t* key) {
  const __mmask32 odd_words = 0xAAAAAAAA;
  __m512i even = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(key)));
  __m512i odd =
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(key + kv_tile_positions)));
  return _mm512_mask_mov_epi16(even, odd_words, _mm512_slli_epi32(odd, 16));
}

ALWAYS_INLINE void score_heads(const AttentionGroup* g, int first, const int heads) {
  int32_t q[batch_heads][max_head_dim / 2];
  int pairs = g->head_dim / 2;
  for (int h = 0; h < heads; ++h) {
    const int8_t* codes = g->q + (first + h) * g->q_stride;
    for (int i = 0; i < pairs; ++i) q[h][i] = (codes[2 * i + 1] * 65536) | (codes[2 * i] & 0xFFFF);
  }
  const __m512 inverse = _mm512_set1_ps(g->inverse_sqrt_head_dim);
  const int8_t* key = g->keys;
  for (int j = 0; j < g->positions; j += kv_tile_positions) {
    __m512i sum[batch_heads];
    for (int h = 0; h < heads; ++h) sum[h] = _mm512_setzero_si512();
    for (int i = 0; i < pairs; ++i, key += 2 * kv_tile_positions) {
      __m512i pair = paired(key);
      for (int h = 0; h < heads; ++h)
        sum[h] = _mm512_add_epi32(sum[h], _mm512_madd_epi16(pair, _mm512_set1_epi32(q[h][i])));
    }
    __m512 key_scale = _mm512_loadu_ps(g->key_scales + j);
    for (int h = 0; h < heads; ++h) {
      __m512 scale = _mm512_mul_ps(_mm512_set1_ps(g->q_scales[first + h]), key_scale);
      float* to = g->weights + ptrdiff_t{first + h} * g->weights_stride + j;
      _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_mul_ps(scale, inverse), _mm512_cvtepi32_ps(sum[h])));
    }
  }
}

ALWAYS_INLINE void weigh_values(const AttentionGroup* g, int first, const int heads) {
  const float* weights = g->weights + ptrdiff_t{first} * g->weights_stride;
  for (int p = 0; p < g->head_dim; ++p) {
    const int8_t* value = g->values + p * kv_tile_positions;
    __m512 sum[batch_heads];
    for (int h = 0; h < heads; ++h) sum[h] = _mm512_setzero_ps();
    for (int j = 0; j < g->positions; j += kv_tile_positions, value += g->head_dim * kv_tile_positions) {
      __m512 v = to_floats(value);
      for (int h = 0; h < heads; ++h) {
        __m512 w = _mm512_loadu_ps(weights + ptrdiff_t{h} * g->weights_stride + j);
        sum[h] = _mm512_add_ps(sum[h], _mm512_mul_ps(v, w));
      }
    }
    for (int h = 0; h < heads; ++h) g->out[(first + h) * g->head_dim + p] = fold(sum[h]);
  }
}

/// Runs `operation` over the heads in batches; a batch's size is a constant where it is inlined.
#define IN_BATCHES(operation)                                               \
  int h = 0;                                                                \
  for (; h + batch_heads <= g->heads; h += batch_heads) operation(g, h, 8); \
  for (; h + 4 <= g->heads; h += 4) operation(g, h, 4);                     \
  if (g->heads - h == 3) operation(g, h, 3);                                \
  if (g->heads - h == 2) operation(g, h, 2);                                \
  if (g->heads - h == 1) operation(g, h, 1)

void attention_scores(const AttentionGroup* g) {
  IN_BATCHES(score_heads);
}

void attention_values(const AttentionGroup* g) {
  IN_BATCHES(weigh_values);
}

void softmax(float* row, const float* value_scales, int positions) {
  // e^−∞ is 0, so whole vectors may run over the padding.
  int end = (positions + lanes - 1) & ~(lanes - 1);
  for (int j = positions; j < end; ++j) row[j] = -__builtin_inff();
  __m512 highest = _mm512_loadu_ps(row);
  for (int j = lanes; j < end; j += lanes) highest = _mm512_max_ps(highest, _mm512_loadu_ps(row + j));
  __m512 top = _mm512_set1_ps(highest_of(highest)), sum = _mm512_setzero_ps();
  for (int j = 0; j < end; j += lanes) {
    __m512 e = exp_f32(_mm512_sub_ps(_mm512_loadu_ps(row + j), top));
    sum = _mm512_add_ps(sum, e);
    _mm512_storeu_ps(row + j, e);
  }
  __m512 inverse = _mm512_set1_ps(1.0f / fold(sum));
  for (int j = 0; j < end; j += lanes) {
    __m512 e = _mm512_mul_ps(_mm512_loadu_ps(row + j), inverse);
    _mm512_storeu_ps(row + j, _mm512_mul_ps(e, _mm512_loadu_ps(value_scales + j)));
  }
}

}  // namespace models::avx512
