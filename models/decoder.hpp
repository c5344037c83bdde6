// Decodes one token at a time with one kernel table.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "models/golden.hpp"
#include "models/kernels/kernels.hpp"
#include "models/routing.hpp"
#include "models/shape.hpp"
#include "models/weight_source.hpp"
#include "models/weights.hpp"

namespace models {

/// Where a token's time goes: `gemv` matrix-vector products with the rounding of their inputs, but for those
/// of `router`, of `experts` and of `head` (with the softcap), which count apart; `attention` RoPE, K/V,
/// scores, softmax and values; `rest` norms, convolution, SiLU, the choice of experts and sums; `waiting` at
/// barriers for the other members of a team.
enum class Op { gemv, attention, head, rest, router, experts, waiting };
inline constexpr size_t op_count = 7;

/// Time per Op, added up over `tokens` steps: of the calling thread.
struct OpTimes {
  std::array<int64_t, op_count> ns{};
  int64_t tokens = 0;
};

class ThreadTeam;

/// How a decoder works and where its memory lies.
struct DecoderSetup {
  Arithmetic arithmetic = Arithmetic::int8;
  harness::Pages pages = harness::Pages::small;  ///< of weights, K and V, and all vectors
  ThreadTeam* team = nullptr;  ///< decodes with all its members; null: with the caller alone
};

/// Owns packed weights and the state of one sequence. step() allocates nothing and makes no system call (but
/// for the yields of a team that lacks CPUs).
/// All float sums follow the 16-lane contract (docs/models.md), so logits have the same bytes on every
/// ISA and with every number of threads.
class Decoder {
 public:
  Decoder(const Shape& shape, const Weights& weights, const Kernels& kernels,
          Arithmetic arithmetic = Arithmetic::int8);
  /// Packs weights as they come from their source, one after the other.
  Decoder(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
          Arithmetic arithmetic = Arithmetic::int8);
  /// A team must outlive the decoder.
  Decoder(const Shape& shape, const WeightSource& weights, const Kernels& kernels, const DecoderSetup& setup);
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
  /// Returns how much of the weights' memory the kernel backs with huge pages.
  [[nodiscard]] size_t huge_weight_bytes() const;

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
