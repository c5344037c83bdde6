// The memory and the parts of one decoder: private to models/decoder*.cpp.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/clock.hpp"
#include "models/decoder.hpp"
#include "models/kv_cache.hpp"
#include "models/packed_weights.hpp"
#include "models/padded.hpp"
#include "models/rotary.hpp"

namespace models {

/// What one block remembers; a block has one of the two.
struct BlockState {
  Padded<float> history;  ///< convolution: the last four h, a ring [conv_taps][d padded]
  KvCache kv;             ///< attention
};

/// A vector as matrices read it: its values, and where they multiply in int8 its rounding.
struct GemvInput {
  const float* values;
  const int8_t* codes;
  float scale;
};

struct Decoder::State {
  State(const Shape& model, PackedWeights packed, const Kernels& table);

  void look_up(uint32_t token);
  void run_conv(const PackedBlock& block, BlockState& memory);
  void run_attention(const PackedBlock& block, BlockState& memory);
  void attend(const BlockState& memory, int kv_head);
  /// x += the block's MLP or experts.
  void run_mlps(size_t block);
  /// y = the block's experts, weighted by their gates.
  void run_experts(size_t block, const GemvInput& input);
  /// Writes the experts that the token visits in a block to `chosen` and their shares to `gates`.
  void choose_experts(size_t block, const GemvInput& input);
  void run_mlp(const PackedMlp& mlp, const GemvInput& input, float* out);
  float* run_head();
  /// Rounds values[cols padded to 16] into codes where a matrix is multiplied in int8.
  GemvInput round_for(const PackedMatrix& matrix, const float* values, int8_t* codes) const;
  /// out = W · input.
  void multiply(const PackedMatrix& matrix, const GemvInput& input, float* out) const;
  /// Both.
  void gemv(const PackedMatrix& matrix, const float* input, float* out) const;
  /// Returns values[n], through an RMSNorm without weights into `normed` in models that have them inside.
  const float* inner_normed(const float* values, int n, const Padded<float>& normed) const;
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

  const RoutingTrace* trace = nullptr;

  Padded<int8_t> x_codes;                     // a GEMV input rounded, or one row of the embedding
  Padded<int8_t> h_codes;                     // h rounded, for all of a block's experts
  Padded<float> x, h, gate, c, y;             // [d]
  Padded<float> qkv, attended;                // [d + 2·kv·hd], [heads·hd]
  Padded<float> rotated;                      // [head_stride]
  Padded<int8_t> q_codes;                     // [heads][head_stride]
  Padded<float> q_scales, attention_weights;  // [heads], [heads / kv_heads][context_stride]
  Padded<float> f12;                          // [ff padded to 16, then ff]
  Padded<float> ones;                         // [max(d, heads·hd, ff, experts)]
  Padded<float> normed_attended, normed_f;    // [heads·hd], [ff]; one for each width: padding must stay zero
  Padded<float> expert_shares;                // [experts]: the router's logits, then their softmax
  Padded<float> gates, mixed;                 // [top_k], [d]: what one expert adds
  std::vector<uint16_t> chosen;               // [blocks][top_k], ascending
  Padded<float> logits;                       // [vocab]
};

}  // namespace models
