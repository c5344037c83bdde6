// The decoder's blocks: embedding, convolution, attention, head.
#include <cmath>
#include <cstring>

#include "models/decoder_state.hpp"

namespace models {

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
  unpack_row(weights.embedding, kernels, static_cast<int>(token), x_codes.data(), x.data());
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
  gemv(block.out, inner_normed(attended.data(), shape.heads * head_dim, normed_attended), y.data());
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

float* Decoder::State::run_head() {
  kernels.rms_norm(x.data(), weights.final_norm, shape.d, h.data());
  lap(Op::rest);
  gemv(weights.embedding, h.data(), logits.data());
  if (shape.softcap > 0) kernels.softcap(logits.data(), shape.vocab, shape.softcap);
  lap(Op::head);
  return logits.data();
}

}  // namespace models
