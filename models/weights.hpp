// Weights in canonical form: row-major codes, one byte each, with their scales, before any ISA packs them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/shape.hpp"
#include "models/tensors.hpp"

namespace models {

/// W[rows, cols], w = code · its scale.
struct Matrix {
  int rows = 0, cols = 0;
  std::vector<int8_t> codes;  ///< row-major, each in the format's range; int8: [-127, 127]
  std::vector<float> scales;  ///< int8: [rows]; ternary: γ alone
  Format format = Format::int8;
  std::vector<uint16_t> half_scales{};  ///< group3, group4: [rows][⌈cols/32⌉], f16
};

/// A gated MLP.
struct Expert {
  Matrix f1, f2, f3;  ///< [ff, d], [ff, d], [d, ff]
};

struct BlockWeights {
  std::vector<float> norm1, norm2;  ///< [d]
  Matrix depthwise;                 ///< conv: [d, taps], oldest tap first
  Matrix gate, mix;                 ///< conv: [d, d]
  Matrix qkv, out;                  ///< attention: [d + 2·kv·hd, d], [d, heads·hd]
  Matrix f1, f2, f3;                ///< the MLP, where there are no experts
  Matrix router;                    ///< [experts, d]
  std::vector<Expert> experts;      ///< the routed ones, then the shared ones
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

/// How a matrix of these weights is multiplied when `asked` is.
Arithmetic arithmetic_of(const Weights& weights, int cols, Arithmetic asked);
Arithmetic arithmetic_of(int widest_int8_row, int cols, Arithmetic asked);

/// The draft head of published files, which predicts a token ahead; decode reads none of it.
struct DraftWeights {
  std::vector<float> norm1;  ///< [d]
  Matrix f1, f2, f3;         ///< [draft_ff, d], [draft_ff, d], [d, draft_ff]
  std::vector<float> norm2;  ///< [d]
};

/// Returns the place of a tensor's matrix or norm in weights that have it. Throws Error(invalid_input) when
/// they do not.
Matrix& matrix_at(Weights& weights, const Tensor& tensor);
const Matrix& matrix_at(const Weights& weights, const Tensor& tensor);
std::vector<float>& norm_at(Weights& weights, const Tensor& tensor);
const std::vector<float>& norm_at(const Weights& weights, const Tensor& tensor);

}  // namespace models
