#include "models/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/half.hpp"

namespace models {
namespace {

using Vector = std::vector<double>;

Vector slice(const Vector& x, int first, int count) {
  return {x.begin() + first, x.begin() + first + count};
}

/// Rounds to 255 levels of max|x|/127, ties to even (nearbyint in the default rounding mode).
Vector rounded(const Reference& reference, Vector x) {
  double m = 0;
  for (double value : x) m = std::max(m, std::fabs(value));
  if (reference.rounding == Rounding::none || m == 0) return x;
  for (double& value : x) value = std::nearbyint(value * (127 / m)) * (m / 127);
  return x;
}

/// Four partial sums: nothing but speed, since double is exact enough in any order.
double dot(const int8_t* codes, const double* x, size_t count) {
  double sum[4] = {};
  for (size_t i = 0; i < count; ++i) sum[i % 4] += codes[i] * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

/// W · x, x rounded as the decoder does it.
Vector gemv(const Reference& reference, const Matrix& w, Vector x) {
  Vector y(static_cast<size_t>(w.rows));
  const size_t cols = x.size();
  if (arithmetic_of(reference.weights, w.cols, reference.arithmetic) == Arithmetic::int8)
    x = rounded(reference, std::move(x));
  const auto* half = w.half_scales.data();
  for (size_t row = 0; row < y.size(); ++row) {
    const int8_t* codes = w.codes.data() + row * cols;
    if (w.half_scales.empty()) {
      y[row] = dot(codes, x.data(), cols) * w.scales[w.format == Format::int8 ? row : 0];
      continue;
    }
    for (size_t i = 0; i < cols; i += group_cols)
      y[row] +=
          dot(codes + i, x.data() + i, std::min<size_t>(group_cols, cols - i)) * float_from_half(*half++);
  }
  return y;
}

/// One weight. Rows are whole groups.
double value_at(const Matrix& w, size_t row, size_t col) {
  const size_t at = row * static_cast<size_t>(w.cols) + col;
  if (!w.half_scales.empty()) return w.codes[at] * double{float_from_half(w.half_scales[at / group_cols])};
  return w.codes[at] * double{w.scales[w.format == Format::int8 ? row : 0]};
}

/// Without weights when w is empty.
Vector rms_norm(const Vector& x, const std::vector<float>& w) {
  double sum = 0;
  for (double value : x) sum += value * value;
  double inverse = 1 / std::sqrt(sum / static_cast<double>(x.size()) + 1e-6);
  Vector y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * inverse * (w.empty() ? 1.0f : w[i]);
  return y;
}

/// silu(a) ⊙ b
Vector silu_product(const Vector& a, const Vector& b) {
  Vector y(a.size());
  for (size_t i = 0; i < a.size(); ++i) y[i] = a[i] / (1 + std::exp(-a[i])) * b[i];
  return y;
}

void add(Vector& x, const Vector& change) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += change[i];
}

/// Rotates the pairs (u[i], u[i + n/2]) by position · 10000^(−2i/n).
Vector rotated(Vector u, int position) {
  size_t half = u.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    double angle = position * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
    double low = u[i], high = u[i + half];
    u[i] = low * std::cos(angle) - high * std::sin(angle);
    u[i + half] = high * std::cos(angle) + low * std::sin(angle);
  }
  return u;
}

void run_conv(const Reference& reference, const BlockWeights& block, Reference::BlockState& state,
              Vector& x) {
  Vector h = rms_norm(x, block.norm1), c(h.size());
  Vector gate = gemv(reference, block.gate, h);
  state.history.push_back(h);
  auto taps = static_cast<size_t>(block.depthwise.cols);
  for (size_t n = 0; n < c.size(); ++n) {
    for (size_t i = 0; i < taps; ++i) c[n] += block.depthwise.codes[n * taps + i] * state.history[i][n];
    c[n] *= block.depthwise.scales[n];
  }
  state.history.erase(state.history.begin());
  add(x, gemv(reference, block.mix, silu_product(gate, c)));
}

/// softmax(q·K/√hd) · V of one query head over all positions so far.
Vector attend(const Reference& reference, const Reference::BlockState& state, const Vector& q, int kv_head) {
  auto head_dim = static_cast<size_t>(reference.shape.head_dim),
       first = static_cast<size_t>(kv_head) * head_dim;
  Vector weights, out(head_dim);
  for (const Vector& key : state.keys) {
    double dot = 0;
    for (size_t p = 0; p < head_dim; ++p) dot += q[p] * key[first + p];
    weights.push_back(dot / std::sqrt(static_cast<double>(head_dim)));
  }
  double highest = *std::max_element(weights.begin(), weights.end()), sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - highest);
  for (size_t j = 0; j < weights.size(); ++j) {
    for (size_t p = 0; p < head_dim; ++p) out[p] += weights[j] / sum * state.values[j][first + p];
  }
  return out;
}

void run_attention(const Reference& reference, const BlockWeights& block, Reference::BlockState& state,
                   Vector& x) {
  const Shape& shape = reference.shape;
  int head_dim = shape.head_dim, queries = shape.heads * head_dim;
  Vector qkv = gemv(reference, block.qkv, rms_norm(x, block.norm1)), keys, values, out;
  for (int head = 0; head < shape.kv_heads; ++head) {
    int at = queries + head * head_dim;
    Vector k = rounded(reference, rotated(slice(qkv, at, head_dim), reference.position));
    Vector v = rounded(reference, slice(qkv, at + shape.kv_heads * head_dim, head_dim));
    keys.insert(keys.end(), k.begin(), k.end());
    values.insert(values.end(), v.begin(), v.end());
  }
  state.keys.push_back(keys);
  state.values.push_back(values);
  for (int head = 0; head < shape.heads; ++head) {
    Vector q = rounded(reference, rotated(slice(qkv, head * head_dim, head_dim), reference.position));
    Vector o = attend(reference, state, q, head / (shape.heads / shape.kv_heads));
    out.insert(out.end(), o.begin(), o.end());
  }
  if (shape.inner_norms) out = rms_norm(out, {});
  add(x, gemv(reference, block.out, out));
}

/// f3( silu(f1·h) ⊙ (f2·h) ), of a block's MLP or of one of its experts.
template <class Mlp>
Vector mlp(const Reference& reference, const Mlp& weights, const Vector& h) {
  Vector u = silu_product(gemv(reference, weights.f1, h), gemv(reference, weights.f2, h));
  return gemv(reference, weights.f3, reference.shape.inner_norms ? rms_norm(u, {}) : u);
}

/// Indices of the highest values, ascending; ties go to the lowest index.
std::vector<uint16_t> highest(const Vector& values, int count) {
  std::vector<uint16_t> order(values.size());
  std::iota(order.begin(), order.end(), uint16_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint16_t a, uint16_t b) { return values[a] > values[b]; });
  order.resize(static_cast<size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

/// Σ softmax(router·h)[e] · expert_e(h) over the chosen, whose shares are renormalised, and the shared ones.
void run_experts(Reference& reference, const BlockWeights& block, std::span<const uint16_t> followed,
                 Vector& x) {
  const Experts& experts = reference.shape.experts;
  const Vector h = rms_norm(x, block.norm2), logits = gemv(reference, block.router, h);
  std::vector<uint16_t> chosen = highest(logits, experts.top_k);
  for (const uint16_t expert : followed) {
    ++reference.choices;
    if (!std::binary_search(chosen.begin(), chosen.end(), expert)) ++reference.foreign_choices;
  }
  if (!followed.empty()) chosen.assign(followed.begin(), followed.end());
  double best = logits[chosen[0]], sum = 0;
  for (const uint16_t expert : chosen) best = std::max(best, logits[expert]);
  for (const uint16_t expert : chosen) sum += std::exp(logits[expert] - best);
  for (const uint16_t expert : chosen) {
    Vector y = mlp(reference, block.experts[expert], h);
    for (double& value : y) value *= std::exp(logits[expert] - best) / sum;
    add(x, y);
  }
  for (int i = 0; i < experts.shared; ++i)
    add(x, mlp(reference, block.experts[static_cast<size_t>(experts.count) + static_cast<size_t>(i)], h));
}

}  // namespace

Reference::Reference(const Shape& model, const Weights& canonical, Rounding points, Arithmetic asked)
    : shape(model), weights(canonical), rounding(points), arithmetic(asked) {
  reset(*this);
}

void reset(Reference& reference) {
  reference.position = 0;
  reference.blocks.assign(reference.shape.blocks.size(), {});
  Vector zeros(static_cast<size_t>(reference.shape.d));
  for (Reference::BlockState& block : reference.blocks) {
    block.history.assign(static_cast<size_t>(reference.shape.conv_taps - 1), zeros);
  }
}

std::vector<double> step(Reference& reference, uint32_t token, std::span<const uint16_t> followed) {
  const Shape& shape = reference.shape;
  const Matrix& embedding = reference.weights.embedding;
  Vector x(static_cast<size_t>(shape.d));
  for (size_t i = 0; i < x.size(); ++i) x[i] = value_at(embedding, token, i);
  const auto top_k = static_cast<size_t>(shape.experts.top_k);
  for (size_t i = 0; i < shape.blocks.size(); ++i) {
    const BlockWeights& block = reference.weights.blocks[i];
    if (shape.blocks[i] == Block::conv) {
      run_conv(reference, block, reference.blocks[i], x);
    } else {
      run_attention(reference, block, reference.blocks[i], x);
    }
    if (shape.experts.count > 0) {
      run_experts(reference, block, followed.empty() ? followed : followed.subspan(i * top_k, top_k), x);
    } else {
      add(x, mlp(reference, block, rms_norm(x, block.norm2)));
    }
  }
  Vector logits = gemv(reference, embedding, rms_norm(x, reference.weights.final_norm));
  if (shape.softcap > 0) {
    for (double& logit : logits) logit = shape.softcap * std::tanh(logit / shape.softcap);
  }
  ++reference.position;
  return logits;
}

}  // namespace models
