// A plain decoder in double precision: short enough to check by eye against docs/models.md.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/shape.hpp"
#include "models/weights.hpp"

namespace models {

/// What the reference rounds beside the weights, which have their format's codes in any case.
enum class Rounding {
  as_decoder,  ///< GEMV inputs (in int8 arithmetic), q, K and V to int8, at the decoder's points
  none,
};

/// The state of one sequence. Shape and weights must outlive it.
struct Reference {
  Reference(const Shape& shape, const Weights& weights, Rounding rounding,
            Arithmetic arithmetic = Arithmetic::int8);

  struct BlockState {
    std::vector<std::vector<double>> history;       ///< conv: the last taps − 1 of h, oldest first
    std::vector<std::vector<double>> keys, values;  ///< attention: per position [kv_heads · head_dim]
  };

  const Shape& shape;
  const Weights& weights;
  Rounding rounding;
  Arithmetic arithmetic;
  int position = 0;
  std::vector<BlockState> blocks;
  int64_t choices = 0;          ///< experts visited on a decoder's word, over all sequences
  int64_t foreign_choices = 0;  ///< of those, how many the reference's own router would not have chosen
};

/// Forgets the sequence.
void reset(Reference& reference);
/// Feeds a token (< vocab) at the next position (< context) and returns logits[vocab]. `followed` are the
/// experts that a decoder visited, [blocks][top_k]; the reference visits the same, its own when there are
/// none. Routers nearly tie, and after another choice two right sequences have little in common.
std::vector<double> step(Reference& reference, uint32_t token, std::span<const uint16_t> followed = {});

}  // namespace models
