// What a decoder really asks of its kernels for one token: calls, bytes and multiply-adds, which no noise can
// touch.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/decoder.hpp"
#include "models/routing.hpp"
#include "models/shape.hpp"
#include "models/weight_source.hpp"

namespace models {

/// What a call reads besides its vectors.
enum class Touches { weights, kv, vectors };

/// All calls of one slot of the table (kernels.hpp) over rows of one width, added up over the counted tokens.
struct KernelCount {
  std::string kernel;  ///< the slot's name
  int cols = 0;        ///< of a matrix row; of attention the width of a head; 0: vectors of any length
  Touches touches = Touches::vectors;
  int64_t calls = 0;
  int64_t bytes = 0;  ///< packed form of the rows with the scales that are passed; K or V of whole tiles with
                      ///< scales; of vectors 4 per value that goes in
  int64_t macs = 0;   ///< multiply-adds of matrices, the convolution's taps and attention
  bool operator==(const KernelCount&) const = default;
};

/// Positions first … last (inclusive) of one sequence of seeded tokens.
struct CountedTokens {
  std::vector<KernelCount> kernels;  ///< by name and width
  int64_t tokens = 0;
  int64_t packed_bytes = 0;   ///< all weights in the table's form, those of every expert too
  std::string logits_sha256;  ///< of the counted positions
};

/// Decodes positions 0 … last in this thread with a table that counts before it calls, and counts from
/// `first` on. The counted decoder is the product's own, so that what it does is counted and not what a shape
/// says it should. Not for two threads at a time. Throws Error(usage) for positions beyond the context.
CountedTokens count_tokens(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
                           Arithmetic arithmetic, const RoutingTrace* trace, int first, int last);

}  // namespace models
