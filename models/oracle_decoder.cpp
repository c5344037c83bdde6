#include "models/oracle_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace models {
namespace {

using Vector = std::vector<float>;

constexpr int integer_path_cols = 512;
constexpr size_t exp_group = 8;  // floats of the vector that its exponential works on

/// e^x as the published vector code has it: x = k·ln 2 + r, then the Taylor series of e^r to r^7. gcc fused
/// its multiply-adds.
float exp_in_group(float x) {
  x = std::clamp(x, -87.3F, 88.0F);
  const float k = std::nearbyint(x * 1.44269504F);
  const float r = std::fma(-k, 0.69314718F, x);
  float y = 1.0F / 5040;
  for (const float divisor : {720.0F, 120.0F, 24.0F, 6.0F, 2.0F, 1.0F, 1.0F}) y = std::fma(y, r, 1 / divisor);
  return y * std::bit_cast<float>((static_cast<int32_t>(k) + 127) << 23);
}

/// e^x of element i of n: what does not fill a group of eight goes to the C library.
float exp_of(float x, size_t i, size_t n) {
  return i < n / exp_group * exp_group ? exp_in_group(x) : std::exp(x);
}

struct Codes {
  std::vector<int> codes;  ///< in [−127, 127]
  float scale = 0;
};

/// rint(x · (127/m)), m = max|x|; scale m/127.
Codes quantised(std::span<const float> x) {
  Codes made{std::vector<int>(x.size()), 0};
  float m = 0;
  for (const float value : x) m = std::max(m, std::abs(value));
  if (m <= 0) return made;
  const float factor = 127 / m;
  for (size_t i = 0; i < x.size(); ++i) made.codes[i] = static_cast<int>(std::nearbyint(x[i] * factor));
  made.scale = m / 127;
  return made;
}

/// Appends rint(x / s), s = max|x|/127 or 1: K and V divide where all else multiplies.
void store(std::span<const float> x, std::vector<int>& codes, Vector& scales) {
  float m = 0;
  for (const float value : x) m = std::max(m, std::abs(value));
  const float scale = m > 0 ? m / 127 : 1;
  for (const float value : x) codes.push_back(static_cast<int>(std::nearbyint(value / scale)));
  scales.push_back(scale);
}

Vector gemv(const Matrix& w, const Vector& x) {
  assert(w.cols <= integer_path_cols);
  const Codes input = quantised(x);
  Vector y(static_cast<size_t>(w.rows));
  for (size_t row = 0; row < y.size(); ++row) {
    const int8_t* codes = w.codes.data() + row * x.size();
    int32_t sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += codes[i] * input.codes[i];
    y[row] = w.scales[row] * input.scale * static_cast<float>(sum);
  }
  return y;
}

/// Unlike the other sums this one is not fused: gcc multiplied in vectors and added one by one.
Vector rms_norm(const Vector& x, const Vector& w) {
  float sum = 0;
  for (const float value : x) sum += value * value;
  const float inverse = 1 / std::sqrt(sum / static_cast<float>(x.size()) + 1e-6F);
  Vector y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * inverse * w[i];
  return y;
}

/// silu(a) ⊙ b
Vector silu_product(const Vector& a, const Vector& b) {
  Vector y(a.size());
  for (size_t i = 0; i < a.size(); ++i) y[i] = a[i] / (1 + exp_of(-a[i], i, a.size())) * b[i];
  return y;
}

void add(Vector& x, const Vector& change) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += change[i];
}

void run_conv(const OracleDecoder& decoder, const BlockWeights& block, OracleDecoder::BlockState& state,
              Vector& x) {
  const Vector h = rms_norm(x, block.norm1);
  state.history.insert(state.history.end(), h.begin(), h.end());
  const auto taps = static_cast<size_t>(decoder.model.shape.conv_taps);
  Vector c(h.size());
  for (size_t n = 0; n < c.size(); ++n) {
    float sum = 0;
    for (size_t i = 0; i < taps; ++i) {
      sum = std::fma(static_cast<float>(block.depthwise.codes[n * taps + i]), state.history[i * c.size() + n],
                     sum);
    }
    c[n] = block.depthwise.scales[n] * sum;
  }
  state.history.erase(state.history.begin(), state.history.begin() + static_cast<std::ptrdiff_t>(c.size()));
  add(x, gemv(block.mix, silu_product(gemv(block.gate, h), c)));
}

/// Rotates the pairs (u[i], u[i + n/2]) by position · 10000^(−2i/n).
void rotate(std::span<float> u, int position) {
  const size_t half = u.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const float exponent = -2.0F * static_cast<float>(i) / static_cast<float>(u.size());
    const float angle = static_cast<float>(position) * std::pow(10000.0F, exponent);
    const float cos = std::cos(angle), sin = std::sin(angle), low = u[i], high = u[i + half];
    u[i] = low * cos - high * sin;
    u[i + half] = std::fma(high, cos, low * sin);
  }
}

/// One query head over all positions so far: out[head_dim].
void attend(const OracleDecoder::BlockState& state, std::span<const float> query, size_t kv_head,
            size_t kv_heads, std::span<float> out) {
  const Codes q = quantised(query);
  const size_t head_dim = query.size(), positions = state.key_scales.size() / kv_heads;
  const float inverse_root = 1 / std::sqrt(static_cast<float>(head_dim));
  Vector weights(positions);
  for (size_t j = 0; j < positions; ++j) {
    const size_t at = j * kv_heads + kv_head;
    int32_t dot = 0;
    for (size_t p = 0; p < head_dim; ++p) dot += state.keys[at * head_dim + p] * q.codes[p];
    weights[j] = q.scale * state.key_scales[at] * inverse_root * static_cast<float>(dot);
  }
  const float highest = *std::max_element(weights.begin(), weights.end());
  float sum = 0;
  for (size_t j = 0; j < positions; ++j) sum += weights[j] = exp_of(weights[j] - highest, j, positions);
  const float inverse_sum = 1 / sum;
  std::fill(out.begin(), out.end(), 0.0F);
  for (size_t j = 0; j < positions; ++j) {
    const size_t at = j * kv_heads + kv_head;
    const float weight = weights[j] * inverse_sum * state.value_scales[at];
    for (size_t p = 0; p < head_dim; ++p) {
      out[p] = std::fma(weight, static_cast<float>(state.values[at * head_dim + p]), out[p]);
    }
  }
}

void run_attention(const OracleDecoder& decoder, const BlockWeights& block, OracleDecoder::BlockState& state,
                   Vector& x) {
  const Shape& shape = decoder.model.shape;
  const auto head_dim = static_cast<size_t>(shape.head_dim), heads = static_cast<size_t>(shape.heads),
             kv_heads = static_cast<size_t>(shape.kv_heads);
  Vector qkv = gemv(block.qkv, rms_norm(x, block.norm1));
  const auto head = [&](size_t i) { return std::span<float>(qkv).subspan(i * head_dim, head_dim); };
  for (size_t i = 0; i < heads + kv_heads; ++i) rotate(head(i), decoder.position);
  for (size_t i = 0; i < kv_heads; ++i) {
    store(head(heads + i), state.keys, state.key_scales);
    store(head(heads + kv_heads + i), state.values, state.value_scales);
  }
  Vector out(heads * head_dim);
  for (size_t i = 0; i < heads; ++i) {
    attend(state, head(i), i / (heads / kv_heads), kv_heads,
           std::span<float>(out).subspan(i * head_dim, head_dim));
  }
  add(x, gemv(block.out, out));
}

void run_mlp(const BlockWeights& block, Vector& x) {
  const Vector h = rms_norm(x, block.norm2);
  add(x, gemv(block.f3, silu_product(gemv(block.f1, h), gemv(block.f2, h))));
}

}  // namespace

OracleDecoder::OracleDecoder(const I8Model& read) : model(read), blocks(read.shape.blocks.size()) {
  for (BlockState& block : blocks) {
    block.history.assign(static_cast<size_t>(read.shape.conv_taps - 1) * static_cast<size_t>(read.shape.d),
                         0);
  }
}

std::vector<float> step(OracleDecoder& decoder, uint32_t token) {
  const Shape& shape = decoder.model.shape;
  const Weights& weights = decoder.model.weights;
  Vector x(static_cast<size_t>(shape.d));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] =
        weights.embedding.scales[token] * static_cast<float>(weights.embedding.codes[token * x.size() + i]);
  }
  for (size_t i = 0; i < shape.blocks.size(); ++i) {
    if (shape.blocks[i] == Block::conv) {
      run_conv(decoder, weights.blocks[i], decoder.blocks[i], x);
    } else {
      run_attention(decoder, weights.blocks[i], decoder.blocks[i], x);
    }
    run_mlp(weights.blocks[i], x);
  }
  Vector logits = gemv(weights.embedding, rms_norm(x, weights.final_norm));
  if (shape.softcap > 0) {
    const size_t grouped = logits.size() / exp_group * exp_group;
    for (size_t i = 0; i < logits.size(); ++i) {
      if (i < grouped) {
        const float e = exp_in_group(logits[i] * (2 / shape.softcap));
        logits[i] = shape.softcap * ((e - 1) / (e + 1));
      } else {
        logits[i] = shape.softcap * std::tanh(logits[i] / shape.softcap);
      }
    }
  }
  ++decoder.position;
  return logits;
}

}  // namespace models
