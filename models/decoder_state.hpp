// The memory and the parts of one decoder: private to models/decoder*.cpp.
//
// Every member of a team runs the whole token on its own copy of x. It multiplies its own rows, attends with
// its own heads and visits its own experts; what is as long as d or ff each repeats for itself, because that
// takes less time than to hand it round. What members share is written between two barriers, each element by
// one of them, and read after the second; no vector is written in two successive phases.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/clock.hpp"
#include "models/arena.hpp"
#include "models/decoder.hpp"
#include "models/kv_cache.hpp"
#include "models/packed_weights.hpp"
#include "models/rotary.hpp"
#include "models/thread_team.hpp"

namespace models {

/// What one block remembers; a block has one of the two.
struct BlockState {
  float* history = nullptr;  ///< convolution: the last four h, a ring [conv_taps][d padded]
  KvCache kv;                ///< attention: the kv heads of the member's own query heads
};

/// A vector as matrices read it: its values, and where they multiply in int8 its rounding.
struct GemvInput {
  const float* values;
  const int8_t* codes;
  float scale;
};

/// What all members read, and the vectors that they share.
struct DecoderShared {
  Shape shape;
  Kernels kernels;
  PackedWeights weights;
  RotaryTable rotary;
  ThreadTeam* team = nullptr;  ///< null: one member
  const RoutingTrace* trace = nullptr;
  int position = 0;
  uint32_t token = 0;                         ///< at this position
  int context_stride = 0;                     ///< context padded to 16
  int head_stride = 0;                        ///< head_dim padded to 16
  float *qkv = nullptr, *attended = nullptr;  // [d + 2·kv·hd], [heads·hd]
  float *mixed = nullptr, *y = nullptr;       // [d]: what mix reads; what is added to x
  float* hidden = nullptr;      // [1 or shared experts][ff padded]: silu(f1·h) ⊙ (f2·h), what f3 reads
  float* router = nullptr;      // [experts]: its logits
  float* expert_out = nullptr;  // [top_k + shared][d padded]
  float* logits = nullptr;      // [vocab]

  /// Takes the memory of the shared vectors.
  void place(Arena& arena);
};

/// One thread's part of a decoder.
struct DecoderMember {
  DecoderMember(DecoderShared& all, int index, Arena& arena);

  /// Decodes the token, together with the other members.
  void step();

  void look_up();
  void run_conv(const PackedBlock& block, BlockState& memory);
  void run_attention(const PackedBlock& block, BlockState& memory);
  /// Attends with the member's heads first … end − 1, which share a kv head.
  void attend(const BlockState& memory, int kv_head, int first, int end);
  /// x += the block's MLP or experts.
  void run_mlps(size_t block);
  /// out[0 … hidden_rows) = silu(f1·h) ⊙ (f2·h) of the rows that `mlp` has.
  void run_hidden(const PackedMlp& mlp, const GemvInput& input, float* out, Op op);
  /// out[first_row …] = f3 · hidden[ff].
  void run_f3(const PackedMlp& mlp, const float* hidden, float* out, Op op);
  /// y = the block's experts, weighted by their gates.
  void run_experts(size_t block, const GemvInput& input);
  /// Writes the experts that the token visits in a block to `chosen` and their shares to `gates`.
  void choose_experts(size_t block);
  void run_head();
  /// Rounds values[cols padded to 16] into codes where a matrix is multiplied in int8.
  GemvInput round_for(const PackedMatrix& matrix, const float* values, int8_t* codes) const;
  /// out[rows] = W · input, of the rows that the part has.
  void multiply(const PackedMatrix& matrix, const GemvInput& input, float* out) const;
  /// out[first_row …] = W · input, rounded.
  void gemv(const PackedMatrix& matrix, const float* input, float* out) const;
  /// Returns values[n], through an RMSNorm without weights into `normed` in models that have them inside.
  const float* inner_normed(const float* values, int n, float* normed) const;
  void add_to_x(const float* y) const;
  /// Waits for the other members, if there are any.
  void sync();
  /// Ends an op: the time since the last op ended is its.
  void lap(Op op);

  DecoderShared& shared;
  const Shape& shape;
  const Kernels& kernels;
  const PackedPart& weights;
  int index, members;
  int first_head, end_head;
  std::vector<BlockState> blocks;
  OpTimes* times = nullptr;  ///< member 0's alone
  harness::Clock clock = harness::steady_clock();
  int64_t lap_ns = 0;

  int8_t* x_codes;                         // a GEMV input rounded, or one row of the embedding
  int8_t* h_codes;                         // h rounded, for all of a block's experts
  float *x, *h, *gate;                     // [d]
  float* own_mixed;                        // [d], the convolution's
  float* rotated;                          // [head_stride]
  int8_t* q_codes;                         // [heads][head_stride]
  float *q_scales, *attention_weights;     // [heads], [heads / kv_heads][context_stride]
  float* f12;                              // [ff padded to 16, then ff]
  float* own_hidden;                       // [ff]: an expert's
  float* ones;                             // [max(d, heads·hd, ff, experts)]
  float *normed_attended, *normed_hidden;  // [heads·hd], [ff]; one for each width: padding must stay zero
  float* expert_shares;                    // [experts]: softmax of the router's logits
  float* gates;                            // [top_k]
  std::vector<uint16_t> chosen;            // [blocks][top_k], ascending
};

struct Decoder::State {
  State(const Shape& model, PackedWeights packed, const Kernels& table, const DecoderSetup& setup);

  DecoderShared shared;
  std::optional<harness::Buffer> memory;  ///< of all vectors, K and V
  std::vector<DecoderMember> members;
  int64_t weight_bytes_per_token, macs_per_token;
};

}  // namespace models
