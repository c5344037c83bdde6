// AVX2: W interleaved by 8 rows × 4 columns, so that one vector of weights meets one broadcast of four
// activations and no horizontal sum is needed. Compiled with -mavx2 and without FMA: see kernels.hpp for what
// an ISA file may not do.
#include "models/kernels/avx2.hpp"

#include <immintrin.h>

#include "models/kernels/constants.hpp"
#include "models/kernels/kernels.hpp"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

namespace models {
namespace avx2 {

constexpr int lanes = 16;
constexpr int block_rows = 8, block_cols = 4, block_bytes = 32;
constexpr int group_blocks = 4;  ///< row blocks interleaved in memory: four accumulators share each broadcast
constexpr int batch_heads = 4;   ///< query heads that share a loaded tile: 8 accumulators of 16 registers

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

ALWAYS_INLINE __m256 to_floats(const int8_t* codes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes))));
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

void softcap(float* logits, int n, float cap) {
  const __m256 scale = _mm256_set1_ps(2.0f / cap), one = _mm256_set1_ps(1.0f), top = _mm256_set1_ps(cap);
  for (int i = 0; i < n; i += 8) {
    __m256 e = exp_f32(_mm256_mul_ps(_mm256_loadu_ps(logits + i), scale));
    __m256 tanh = _mm256_div_ps(_mm256_sub_ps(e, one), _mm256_add_ps(e, one));
    _mm256_storeu_ps(logits + i, _mm256_mul_ps(top, tanh));
  }
}

}  // namespace avx2

extern const Kernels avx2_kernels;
constinit const Kernels avx2_kernels = {
    .isa = "avx2",
    .needs = feature_avx2,
    .packed_bytes = avx2::packed_bytes,
    .pack = avx2::pack,
    .unpack_row = avx2::unpack_row,
    .gemv = avx2::gemv,
    .quantise = avx2::quantise,
    .rms_norm = avx2::rms_norm,
    .conv_step = avx2::conv_step,
    .silu_product = avx2::silu_product,
    .attention_scores = avx2::attention_scores,
    .softmax = avx2::softmax,
    .attention_values = avx2::attention_values,
    .softcap = avx2::softcap,
};

}  // namespace models
