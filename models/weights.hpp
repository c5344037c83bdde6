// Weights in canonical form: row-major int8 codes with one f32 scale per row, before any ISA packs them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/shape.hpp"

namespace models {

/// W[rows, cols], w = code · scale[row].
struct Matrix {
  int rows = 0, cols = 0;
  std::vector<int8_t> codes;  ///< row-major, in [-127, 127]
  std::vector<float> scales;  ///< [rows]
};

struct BlockWeights {
  std::vector<float> norm1, norm2;  ///< [d]
  Matrix depthwise;                 ///< conv: [d, taps], oldest tap first
  Matrix gate, mix;                 ///< conv: [d, d]
  Matrix qkv, out;                  ///< attention: [d + 2·kv·hd, d], [d, heads·hd]
  Matrix f1, f2, f3;                ///< [ff, d], [ff, d], [d, ff]
};

/// How GEMVs multiply: `int8` rounds their input to int8 and sums in int32, `float32` takes it as it is and
/// converts the codes.
enum class Arithmetic { int8, float32 };

struct Weights {
  Matrix embedding;  ///< [vocab, d], tied with the head
  std::vector<BlockWeights> blocks;
  std::vector<float> final_norm;  ///< [d]
  int widest_int8_row = 0;  ///< matrices with more columns multiply in float32 in any case; 0: none does
};

/// Returns the arithmetic that a plan calls "int8" or "float". Throws Error(usage) for another name.
Arithmetic find_arithmetic(std::string_view name);

/// How this matrix of these weights is multiplied when `asked` is.
Arithmetic arithmetic_of(const Weights& weights, int cols, Arithmetic asked);

/// Makes seeded synthetic weights: counter-based SplitMix64 over (seed, tensor id, index), integers only, so
/// that every compiler makes the same bytes. Codes are the centred sum of four 6-bit fields; scales give each
/// row an RMS of 1/√cols.
Weights synthetic_weights(const Shape& shape, uint64_t seed);

/// The draft head of published files, which predicts a token ahead; decode reads none of it.
struct DraftWeights {
  std::vector<float> norm1;  ///< [d]
  Matrix f1, f2, f3;         ///< [draft_ff, d], [draft_ff, d], [d, draft_ff]
  std::vector<float> norm2;  ///< [d]
};

/// Makes the draft head that belongs to synthetic_weights of the same seed: its tensors are numbered behind
/// theirs. The shape has a draft_ff.
DraftWeights synthetic_draft_weights(const Shape& shape, uint64_t seed);

/// SHA-256 over canonical codes, scales and norms in file order.
std::string weights_digest(const Weights& weights);

}  // namespace models
