// The decoder's blocks: embedding, convolution, attention, head.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/decoder_state.hpp"
#include "models/padded.hpp"

namespace models {

void DecoderMember::lap(Op op) {
  if (times == nullptr) return;
  const int64_t now_ns = clock.now_ns();
  times->ns[static_cast<size_t>(op)] += now_ns - lap_ns;
  lap_ns = now_ns;
}

void DecoderMember::sync() {
  if (shared.team == nullptr) return;
  shared.team->wait(index);
  lap(Op::waiting);
}

void DecoderMember::add_to_x(const float* change) const {
  float* to = x;
  for (int i = 0; i < shape.d; ++i) to[i] += change[i];
}

void DecoderMember::look_up() {
  const int row = static_cast<int>(shared.token);
  for (const PackedPart& part : shared.weights.parts) {
    const int of_part = row - part.embedding.first_row;
    if (of_part < part.embedding.rows) return unpack_row(part.embedding, kernels, of_part, x_codes, x);
  }
}

/// x += mix( silu(gate·h) ⊙ c ), c the depthwise convolution of the last four h.
void DecoderMember::run_conv(const PackedBlock& block, BlockState& memory) {
  kernels.rms_norm(x, block.norm1, shape.d, h);
  lap(Op::rest);
  const int first = block.gate.first_row, rows = block.gate.rows;
  gemv(block.gate, h, gate);
  lap(Op::gemv);

  const int stride = padded16(shape.d), position = shared.position;
  const float* taps[4];
  for (int i = 0; i < 4; ++i) taps[i] = memory.history + (position + 1 + i) % 4 * stride + first;
  std::memcpy(memory.history + position % 4 * stride, h, static_cast<size_t>(stride) * sizeof(float));
  kernels.conv_step(block.taps + first, stride, block.tap_scales + first, taps, rows, own_mixed + first);
  kernels.silu_product(gate + first, own_mixed + first, rows, shared.mixed + first);
  lap(Op::rest);
  sync();
  gemv(block.mix, shared.mixed, shared.y);
  lap(Op::gemv);
  sync();
  add_to_x(shared.y);
}

/// x += out · concat over heads of softmax(q·K) · V.
void DecoderMember::run_attention(const PackedBlock& block, BlockState& memory) {
  kernels.rms_norm(x, block.norm1, shape.d, h);
  lap(Op::rest);
  gemv(block.qkv, h, shared.qkv);
  lap(Op::gemv);
  sync();

  const int head_dim = shape.head_dim, sharing = shape.heads / shape.kv_heads;
  const auto head_bytes = static_cast<size_t>(head_dim) * sizeof(float);
  for (int head = first_head; head < end_head; ++head) {
    std::memcpy(rotated, shared.qkv + head * head_dim, head_bytes);
    rotate(shared.rotary, shared.position, rotated);
    q_scales[head] = kernels.quantise(rotated, head_dim, q_codes + head * shared.head_stride);
  }
  for (int first = first_head, own_kv = 0; first < end_head; ++own_kv) {
    const int kv_head = first / sharing, end = std::min((kv_head + 1) * sharing, end_head);
    const float* k = shared.qkv + (shape.heads + kv_head) * head_dim;
    std::memcpy(rotated, k, head_bytes);
    rotate(shared.rotary, shared.position, rotated);
    memory.kv.store(own_kv, shared.position, rotated, k + shape.kv_heads * head_dim);
    attend(memory, own_kv, first, end);
    first = end;
  }
  lap(Op::attention);
  sync();
  gemv(block.out, inner_normed(shared.attended, shape.heads * head_dim, normed_attended), shared.y);
  lap(Op::gemv);
  sync();
  add_to_x(shared.y);
}

void DecoderMember::attend(const BlockState& memory, int own_kv, int first, int end) {
  KvHead kv = memory.kv.head(own_kv);
  AttentionGroup group{};
  group.keys = kv.keys;
  group.key_scales = kv.key_scales;
  group.values = kv.values;
  group.value_scales = kv.value_scales;
  group.q = q_codes + first * shared.head_stride;
  group.q_scales = q_scales + first;
  group.heads = end - first;
  group.head_dim = shape.head_dim;
  group.q_stride = shared.head_stride;
  group.positions = shared.position + 1;
  group.inverse_sqrt_head_dim = 1.0f / std::sqrt(static_cast<float>(shape.head_dim));
  group.weights = attention_weights;
  group.weights_stride = shared.context_stride;
  group.out = shared.attended + first * shape.head_dim;
  kernels.attention_scores(&group);
  for (int i = 0; i < group.heads; ++i) {
    kernels.softmax(group.weights + i * shared.context_stride, group.value_scales, group.positions);
  }
  kernels.attention_values(&group);
}

void DecoderMember::run_head() {
  kernels.rms_norm(x, weights.final_norm, shape.d, h);
  lap(Op::rest);
  gemv(weights.embedding, h, shared.logits);
  if (shape.softcap > 0)
    kernels.softcap(shared.logits + weights.embedding.first_row, weights.embedding.rows, shape.softcap);
  lap(Op::head);
}

}  // namespace models
