// The table's baseline: every slot in plain C++. It defines the bytes that every other ISA file must give.
// Built-ins instead of <cmath>: its inline functions would be weak symbols in an unoptimised build.
#include <cstring>

#include "models/kernels/constants.hpp"
#include "models/kernels/kernels.hpp"

namespace models {

extern const Kernels scalar_kernels;
constinit const Kernels scalar_kernels{};

namespace scalar {
namespace {

constexpr int lanes = 16;

/// Adds the upper half to the lower half until one lane is left.
float fold(float* lane) {
  for (int width = lanes / 2; width >= 1; width /= 2) {
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  }
  return lane[0];
}

float round_to_even(float x) {
  return (x + round_magic) - round_magic;
}

float max_abs(const float* x, int n) {
  float m = 0;
  for (int i = 0; i < n; ++i) m = __builtin_fabsf(x[i]) > m ? __builtin_fabsf(x[i]) : m;
  return m;
}

const int8_t* tile_of(const int8_t* tiles, int head_dim, int position) {
  return tiles + position / kv_tile_positions * (head_dim * kv_tile_positions) + position % kv_tile_positions;
}

}  // namespace

float exp_f32(float x) {
  if (x < exp_lowest) return 0;
  x = x > exp_highest ? exp_highest : x;
  float k = round_to_even(x * log2_e);
  float r = (x - k * ln2_high) - k * ln2_low;
  float p = exp_p0;
  p = p * r + exp_p1;
  p = p * r + exp_p2;
  p = p * r + exp_p3;
  p = p * r + exp_p4;
  p = p * r + exp_p5;
  p = (p * (r * r) + r) + 1.0f;
  int32_t bits = (static_cast<int32_t>(k) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

size_t packed_bytes(int rows, int cols) {
  return static_cast<size_t>(rows) * static_cast<size_t>(cols);
}

void pack(const int8_t* codes, int rows, int cols, int8_t* packed) {
  std::memcpy(packed, codes, packed_bytes(rows, cols));
}

void unpack_row(const int8_t* packed, int /*rows*/, int cols, int row, int8_t* codes) {
  std::memcpy(codes, packed + packed_bytes(row, cols), static_cast<size_t>(cols));
}

void gemv(const int8_t* packed, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y) {
  for (int row = 0; row < rows; ++row) {
    const int8_t* codes = packed + packed_bytes(row, cols);
    int32_t sum = 0;
    for (int i = 0; i < cols; ++i) sum += codes[i] * x[i];
    y[row] = (scales[row] * x_scale) * static_cast<float>(sum);
  }
}

void gemv_float(const int8_t* codes, const float* scales, int rows, int cols, const float* x, float* y) {
  const int stride = (cols + lanes - 1) / lanes * lanes;
  for (int row = 0; row < rows; ++row, codes += stride) {
    float lane[lanes] = {};
    for (int i = 0; i < cols; ++i) {
      // One rounding: libm's fmaf is exact where the CPU has no such instruction.
      lane[i % lanes] = __builtin_fmaf(static_cast<float>(codes[i]), x[i], lane[i % lanes]);
    }
    y[row] = scales[row] * fold(lane);
  }
}

float quantise(const float* x, int n, int8_t* codes) {
  float m = max_abs(x, n);
  if (m < smallest_max) m = 0;
  float scale = m > 0 ? code_limit / m : 0.0f;
  for (int i = 0; i < n; ++i) codes[i] = static_cast<int8_t>(round_to_even(x[i] * scale));
  return m / code_limit;
}

void rms_norm(const float* x, const float* w, int n, float* y) {
  float lane[lanes] = {};
  for (int i = 0; i < n; ++i) lane[i % lanes] += x[i] * x[i];
  float inverse = 1.0f / __builtin_sqrtf(fold(lane) / static_cast<float>(n) + rms_epsilon);
  for (int i = 0; i < n; ++i) y[i] = (x[i] * inverse) * w[i];
}

void conv_step(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
               float* c) {
  for (int i = 0; i < n; ++i) {
    float p0 = static_cast<float>(taps[i]) * history[0][i];
    float p1 = static_cast<float>(taps[stride + i]) * history[1][i];
    float p2 = static_cast<float>(taps[2 * stride + i]) * history[2][i];
    float p3 = static_cast<float>(taps[3 * stride + i]) * history[3][i];
    c[i] = scales[i] * ((p0 + p2) + (p1 + p3));
  }
}

void silu_product(const float* a, const float* b, int n, float* y) {
  for (int i = 0; i < n; ++i) y[i] = (a[i] / (1.0f + exp_f32(-a[i]))) * b[i];
}

void attention_scores(const AttentionGroup* group) {
  for (int h = 0; h < group->heads; ++h) {
    const int8_t* q = group->q + h * group->q_stride;
    float* scores = group->weights + static_cast<ptrdiff_t>(h) * group->weights_stride;
    for (int j = 0; j < group->positions; ++j) {
      const int8_t* key = tile_of(group->keys, group->head_dim, j);
      int32_t sum = 0;
      for (int p = 0; p < group->head_dim; ++p) sum += q[p] * key[p * kv_tile_positions];
      float scale = (group->q_scales[h] * group->key_scales[j]) * group->inverse_sqrt_head_dim;
      scores[j] = scale * static_cast<float>(sum);
    }
  }
}

void softmax(float* row, const float* value_scales, int positions) {
  float highest = row[0];
  for (int j = 1; j < positions; ++j) highest = row[j] > highest ? row[j] : highest;
  float lane[lanes] = {};
  for (int j = 0; j < positions; ++j) {
    row[j] = exp_f32(row[j] - highest);
    lane[j % lanes] += row[j];
  }
  float inverse = 1.0f / fold(lane);
  for (int j = 0; j < positions; ++j) row[j] = (row[j] * inverse) * value_scales[j];
  for (int j = positions; j % lanes != 0; ++j) row[j] = 0;
}

void attention_values(const AttentionGroup* group) {
  for (int h = 0; h < group->heads; ++h) {
    const float* weights = group->weights + static_cast<ptrdiff_t>(h) * group->weights_stride;
    for (int p = 0; p < group->head_dim; ++p) {
      float lane[lanes] = {};
      for (int j = 0; j < group->positions; ++j) {
        const int8_t* value = tile_of(group->values, group->head_dim, j);
        lane[j % lanes] += weights[j] * static_cast<float>(value[p * kv_tile_positions]);
      }
      group->out[h * group->head_dim + p] = fold(lane);
    }
  }
}

void softcap(float* logits, int n, float cap) {
  float scale = 2.0f / cap;
  for (int i = 0; i < n; ++i) {
    float e = exp_f32(logits[i] * scale);
    logits[i] = cap * ((e - 1.0f) / (e + 1.0f));
  }
}

}  // namespace scalar
}  // namespace models
