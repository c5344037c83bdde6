// Decodes one token at a time with one kernel table.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/golden.hpp"
#include "models/kernels/kernels.hpp"
#include "models/routing.hpp"
#include "models/shape.hpp"
#include "models/weight_source.hpp"
#include "models/weights.hpp"

namespace models {

/// Where a token's time goes: `gemv` all matrix-vector products but the head's with the rounding of their
/// inputs, `attention` RoPE, K/V, scores, softmax and values, `head` the last product and the softcap, `rest`
/// norms, convolution, SiLU and sums.
enum class Op { gemv, attention, head, rest };
inline constexpr size_t op_count = 4;

/// Time per Op, added up over `tokens` steps.
struct OpTimes {
  std::array<int64_t, op_count> ns{};
  int64_t tokens = 0;
};

/// Owns packed weights and the state of one sequence. step() allocates nothing and makes no system call.
/// All float sums follow the 16-lane contract (docs/models.md), so logits have the same bytes on every ISA.
class Decoder {
 public:
  Decoder(const Shape& shape, const Weights& weights, const Kernels& kernels,
          Arithmetic arithmetic = Arithmetic::int8);
  /// Packs weights as they come from their source, one after the other.
  Decoder(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
          Arithmetic arithmetic = Arithmetic::int8);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  void reset();
  /// Feeds a token at the next position and returns logits[vocab], valid until the next call.
  /// Throws Error(invalid_input) when position ≥ context or token ≥ vocab.
  std::span<const float> step(uint32_t token);
  [[nodiscard]] int position() const;
  /// Lets a trace choose the experts of each position; the router still runs, and its shares of those experts
  /// are renormalised. Null: the router chooses. The trace must outlive the decoder or the next route().
  /// Throws Error(invalid_input) when the trace is for other layers, experts or top_k.
  void route(const RoutingTrace* trace);
  /// Returns the experts that the last step visited, [blocks][top_k], ascending in each block.
  [[nodiscard]] std::span<const uint16_t> chosen_experts() const;
  /// Returns the name of the kernel table that step() runs.
  [[nodiscard]] const char* isa() const;
  /// Adds each op's time of every later step to *times, which costs some fifty clock reads per token; null
  /// turns it off again.
  void profile(OpTimes* times);
  /// Returns the packed weight memory that a token reads, as regions to flush: not KV, state or code.
  [[nodiscard]] std::vector<std::span<const std::byte>> weight_regions() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// First maximum: ties go to the lowest index.
uint32_t argmax(std::span<const float> logits);

/// Seeded uniform tokens in [0, vocab): what teacher-forced passes feed.
std::vector<uint32_t> seeded_tokens(const Shape& shape, uint64_t seed, int count);

/// Runs the golden pass on a fresh sequence: 64 teacher-forced seeded tokens (seed 1) from position 0, then
/// 64 greedy ones (fewer where the context ends), and returns the SHA-256 of all their logits' bytes
/// (little-endian f32). The same on every ISA and compiler. Throws Error(invalid_input) when a logit is not
/// finite.
std::string golden_digest(Decoder& decoder, const Shape& shape);

}  // namespace models
