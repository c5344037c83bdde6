#include "models/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/clock.hpp"
#include "harness/counters.hpp"
#include "harness/error.hpp"
#include "models/kv_cache.hpp"
#include "models/packed_weights.hpp"
#include "models/rotary.hpp"

namespace models {
namespace {

/// What one block remembers; a block has one of the two.
struct BlockState {
  Padded<float> history;  ///< convolution: the last four h, a ring [conv_taps][d padded]
  KvCache kv;             ///< attention
};

}  // namespace

struct Decoder::State {
  State(const Shape& model, const Weights& canonical, const Kernels& table, Arithmetic arithmetic);

  void look_up(uint32_t token);
  void run_conv(const PackedBlock& block, BlockState& memory);
  void run_attention(const PackedBlock& block, BlockState& memory);
  void attend(const BlockState& memory, int kv_head);
  void run_mlp(const PackedBlock& block);
  float* run_head();
  /// y = W · input[cols padded to 16], rounded to int8 first where the matrix is multiplied so.
  void gemv(const PackedMatrix& matrix, const float* input, float* out) const;
  void add_to_x(const float* y) const;
  /// Ends an op: the time since the last op ended is its.
  void lap(Op op);

  Shape shape;
  Kernels kernels;
  PackedWeights weights;
  RotaryTable rotary;
  std::vector<BlockState> blocks;
  long long weight_bytes_per_token, macs_per_token;
  harness::Clock clock = harness::steady_clock();
  OpTimes* times = nullptr;
  int64_t lap_ns = 0;
  int position = 0;
  int context_stride;  ///< context padded to 16
  int head_stride;     ///< head_dim padded to 16

  Padded<int8_t> x_codes;                     // a GEMV input rounded, or one row of the embedding
  Padded<float> x, h, gate, c, y;             // [d]
  Padded<float> qkv, attended;                // [d + 2·kv·hd], [heads·hd]
  Padded<float> rotated;                      // [head_stride]
  Padded<int8_t> q_codes;                     // [heads][head_stride]
  Padded<float> q_scales, attention_weights;  // [heads], [heads / kv_heads][context_stride]
  Padded<float> f12;                          // [ff padded to 16, then ff]
  Padded<float> logits;                       // [vocab]
};

Decoder::State::State(const Shape& model, const Weights& canonical, const Kernels& table,
                      Arithmetic arithmetic)
    : shape(model),
      kernels(table),
      weights(pack_weights(model, canonical, table, arithmetic)),
      rotary(make_rotary_table(model.context, model.head_dim)),
      blocks(model.blocks.size()),
      weight_bytes_per_token(cost(model).weight_bytes_per_token),
      macs_per_token(cost(model).macs_per_token),
      context_stride(padded16(model.context)),
      head_stride(padded16(model.head_dim)),
      x_codes(std::max({model.d, model.heads * model.head_dim, model.ff})),
      x(model.d),
      h(model.d),
      gate(model.d),
      c(model.d),
      y(model.d),
      qkv(model.d + 2 * model.kv_heads * model.head_dim),
      attended(model.heads * model.head_dim),
      rotated(head_stride),
      q_codes(model.heads * head_stride),
      q_scales(model.heads),
      attention_weights(model.heads / model.kv_heads * context_stride),
      f12(padded16(model.ff) + model.ff),
      logits(model.vocab) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (model.blocks[i] == Block::conv) {
      blocks[i].history = Padded<float>(model.conv_taps * padded16(model.d));
    } else {
      blocks[i].kv = KvCache(model.kv_heads, model.head_dim, model.context);
    }
  }
}

void Decoder::State::gemv(const PackedMatrix& matrix, const float* input, float* out) const {
  if (matrix.arithmetic == Arithmetic::float32) {
    kernels.gemv_float(matrix.codes, matrix.scales, matrix.rows, matrix.cols, input, out);
    return;
  }
  float scale = kernels.quantise(input, matrix.cols, x_codes.data());
  kernels.gemv(matrix.codes, matrix.scales, matrix.rows, matrix.cols, x_codes.data(), scale, out);
}

void Decoder::State::lap(Op op) {
  if (times == nullptr) return;
  const int64_t now_ns = clock.now_ns();
  times->ns[static_cast<size_t>(op)] += now_ns - lap_ns;
  lap_ns = now_ns;
}

void Decoder::State::add_to_x(const float* change) const {
  float* to = x.data();
  for (int i = 0; i < shape.d; ++i) to[i] += change[i];
}

void Decoder::State::look_up(uint32_t token) {
  const PackedMatrix& table = weights.embedding;
  unpack_row(table, kernels, static_cast<int>(token), x_codes.data());
  float scale = table.scales[token];
  for (int i = 0; i < shape.d; ++i) x.data()[i] = scale * static_cast<float>(x_codes.data()[i]);
}

/// x += mix( silu(gate·h) ⊙ c ), c the depthwise convolution of the last four h.
void Decoder::State::run_conv(const PackedBlock& block, BlockState& memory) {
  kernels.rms_norm(x.data(), block.norm1, shape.d, h.data());
  lap(Op::rest);
  gemv(block.gate, h.data(), gate.data());
  lap(Op::gemv);

  int stride = padded16(shape.d);
  const float* taps[4];
  for (int i = 0; i < 4; ++i) taps[i] = memory.history.data() + (position + 1 + i) % 4 * stride;
  std::memcpy(memory.history.data() + position % 4 * stride, h.data(),
              static_cast<size_t>(stride) * sizeof(float));
  kernels.conv_step(block.taps, stride, block.tap_scales, taps, shape.d, c.data());

  kernels.silu_product(gate.data(), c.data(), shape.d, gate.data());
  lap(Op::rest);
  gemv(block.mix, gate.data(), y.data());
  lap(Op::gemv);
  add_to_x(y.data());
}

/// x += out · concat over heads of softmax(q·K) · V.
void Decoder::State::run_attention(const PackedBlock& block, BlockState& memory) {
  kernels.rms_norm(x.data(), block.norm1, shape.d, h.data());
  lap(Op::rest);
  gemv(block.qkv, h.data(), qkv.data());
  lap(Op::gemv);

  int head_dim = shape.head_dim;
  for (int head = 0; head < shape.heads; ++head) {
    std::memcpy(rotated.data(), qkv.data() + head * head_dim, static_cast<size_t>(head_dim) * sizeof(float));
    rotate(rotary, position, rotated.data());
    q_scales.data()[head] = kernels.quantise(rotated.data(), head_dim, q_codes.data() + head * head_stride);
  }
  float* k = qkv.data() + shape.heads * head_dim;
  float* v = k + shape.kv_heads * head_dim;
  for (int head = 0; head < shape.kv_heads; ++head, k += head_dim, v += head_dim) {
    rotate(rotary, position, k);
    memory.kv.store(head, position, k, v);
    attend(memory, head);
  }
  lap(Op::attention);
  gemv(block.out, attended.data(), y.data());
  lap(Op::gemv);
  add_to_x(y.data());
}

void Decoder::State::attend(const BlockState& memory, int kv_head) {
  int sharing = shape.heads / shape.kv_heads, first = kv_head * sharing;
  KvHead kv = memory.kv.head(kv_head);
  AttentionGroup group{};
  group.keys = kv.keys;
  group.key_scales = kv.key_scales;
  group.values = kv.values;
  group.value_scales = kv.value_scales;
  group.q = q_codes.data() + first * head_stride;
  group.q_scales = q_scales.data() + first;
  group.heads = sharing;
  group.head_dim = shape.head_dim;
  group.q_stride = head_stride;
  group.positions = position + 1;
  group.inverse_sqrt_head_dim = 1.0f / std::sqrt(static_cast<float>(shape.head_dim));
  group.weights = attention_weights.data();
  group.weights_stride = context_stride;
  group.out = attended.data() + first * shape.head_dim;
  kernels.attention_scores(&group);
  for (int i = 0; i < sharing; ++i) {
    kernels.softmax(group.weights + i * context_stride, group.value_scales, group.positions);
  }
  kernels.attention_values(&group);
}

/// x += f3( silu(f1·h) ⊙ (f2·h) ).
void Decoder::State::run_mlp(const PackedBlock& block) {
  kernels.rms_norm(x.data(), block.norm2, shape.d, h.data());
  lap(Op::rest);
  gemv(block.f12, h.data(), f12.data());
  lap(Op::gemv);
  float *f1 = f12.data(), *f2 = f1 + padded16(shape.ff);
  kernels.silu_product(f1, f2, shape.ff, f1);
  lap(Op::rest);
  gemv(block.f3, f1, y.data());
  lap(Op::gemv);
  add_to_x(y.data());
}

float* Decoder::State::run_head() {
  kernels.rms_norm(x.data(), weights.final_norm, shape.d, h.data());
  lap(Op::rest);
  gemv(weights.embedding, h.data(), logits.data());
  if (shape.softcap > 0) kernels.softcap(logits.data(), shape.vocab, shape.softcap);
  lap(Op::head);
  return logits.data();
}

Decoder::Decoder(const Shape& shape, const Weights& weights, const Kernels& kernels, Arithmetic arithmetic) {
  if (shape.conv_taps != 4 || shape.kv_heads <= 0 || shape.heads % shape.kv_heads != 0 ||
      shape.head_dim % 2 != 0 || shape.head_dim > max_head_dim) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: needs 4 convolution taps, an even head width up to 256 and heads that are a "
                    "multiple of kv heads",
                    shape.name));
  }
  // Offsets into K and V are 32-bit.
  if (int64_t{shape.kv_heads} * padded16(shape.context) * shape.head_dim > INT32_MAX) {
    throw harness::Error(
        harness::ExitCode::unavailable,
        fmt::format("model {}: keys of {} heads of {} at {} positions are more than 2 GiB, which this "
                    "decoder cannot hold",
                    shape.name, shape.kv_heads, shape.head_dim, shape.context));
  }
  state_ = std::make_unique<State>(shape, weights, kernels, arithmetic);
}

Decoder::~Decoder() = default;

void Decoder::reset() {
  state_->position = 0;
  for (size_t i = 0; i < state_->blocks.size(); ++i) {
    // K and V need no clearing: nothing beyond the position is ever attended to.
    if (state_->shape.blocks[i] == Block::conv) state_->blocks[i].history.clear();
  }
}

std::span<const float> Decoder::step(uint32_t token) {
  State& state = *state_;
  if (state.position >= state.shape.context || token >= static_cast<uint32_t>(state.shape.vocab)) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: token {} at position {} is outside vocabulary {} or context {}",
                    state.shape.name, token, state.position, state.shape.vocab, state.shape.context));
  }
  if (state.times != nullptr) state.lap_ns = state.clock.now_ns();
  state.look_up(token);
  for (size_t i = 0; i < state.blocks.size(); ++i) {
    const PackedBlock& block = state.weights.blocks[i];
    if (block.kind == Block::conv) {
      state.run_conv(block, state.blocks[i]);
    } else {
      state.run_attention(block, state.blocks[i]);
    }
    state.run_mlp(block);
  }
  float* logits = state.run_head();
  ++state.position;
  if (state.times != nullptr) ++state.times->tokens;
  harness::WorkCounts& counts = harness::work_counts();
  counts.bytes_streamed += state.weight_bytes_per_token;
  counts.tokens += 1;
  counts.macs += state.macs_per_token;
  return {logits, static_cast<size_t>(state.shape.vocab)};
}

int Decoder::position() const {
  return state_->position;
}

const char* Decoder::isa() const {
  return state_->kernels.isa;
}

void Decoder::profile(OpTimes* times) {
  state_->times = times;
}

std::vector<std::span<const std::byte>> Decoder::weight_regions() const {
  return {{state_->weights.memory->data(), state_->weights.bytes}};
}

}  // namespace models
