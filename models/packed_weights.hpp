// Weights in the form that one kernel table reads, in one allocation, a part for each thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/buffer.hpp"
#include "models/kernels/kernels.hpp"
#include "models/shape.hpp"
#include "models/weight_source.hpp"
#include "models/weights.hpp"

namespace models {

/// W[rows, cols] as the format's pack slot left it, or for float32 row-major with the columns padded to 16.
struct PackedMatrix {
  int8_t* codes = nullptr;      ///< int8
  uint8_t* low_bits = nullptr;  ///< other formats
  float* scales = nullptr;  ///< int8: [rows]; ternary: γ; padded to 16. Groups have theirs among the codes
  int rows = 0, cols = 0;
  int first_row = 0;  ///< of the model's matrix: a part holds rows first_row …, packed as a matrix of its own
  Arithmetic arithmetic = Arithmetic::int8;
  Format format = Format::int8;
};

/// A gated MLP; ternary matrices have a γ each, so that f1 and f2 stand apart.
struct PackedMlp {
  int hidden_rows = 0;  ///< of f1, and of f2: ff when whole
  PackedMatrix f1;  ///< [ff, d], or with f2 stacked below it [ff padded to 16, then ff; d], read in one pass
  PackedMatrix f2;  ///< no rows: stacked
  PackedMatrix f3;
};

/// One block; a convolution has taps, gate and mix, an attention has qkv and out.
struct PackedBlock {
  Block kind = Block::conv;
  float *norm1 = nullptr, *norm2 = nullptr;  ///< [d], padded to 16
  int8_t* taps = nullptr;                    ///< [conv_taps][d padded to 16], oldest first
  float* tap_scales = nullptr;               ///< [d], padded to 16
  PackedMatrix gate, mix, qkv, out;
  PackedMatrix router;          ///< no rows: no experts
  std::vector<PackedMlp> mlps;  ///< one, or the routed experts and then the shared ones
};

/// What one thread reads: of each matrix some blocks of 16 rows (a multiple of every table's), of routed
/// experts, norms and taps all, which are in memory once.
struct PackedPart {
  std::vector<PackedBlock> blocks;
  float* final_norm = nullptr;  ///< [d], padded to 16
  PackedMatrix embedding;       ///< [vocab, d]: the head, and the rows that tokens look up
};

/// Owns every weight that a token may read, in the order it reads them, each array on its own cache lines.
struct PackedWeights {
  std::unique_ptr<harness::Buffer> memory;
  size_t bytes = 0;
  std::vector<PackedPart> parts;
};

/// How packed weights lie.
struct Packed {
  Arithmetic arithmetic = Arithmetic::int8;
  harness::Pages pages =
      harness::Pages::small;  ///< small: huge ones are forbidden, whatever the system's default
  int parts = 1;
};

/// Packs one tensor after the other, so that no more than two are in memory in canonical form.
/// Throws Error(invalid_input) when a tensor's dimensions, format or codes are not the shape's, and when
/// float32 is asked for a model whose matrices are not int8.
PackedWeights pack_weights(const Shape& shape, const WeightSource& source, const Kernels& kernels,
                           const Packed& how = {});
PackedWeights pack_weights(const Shape& shape, const Weights& weights, const Kernels& kernels,
                           const Packed& how = {});

/// Writes values[cols] of one row of the part; `codes` is room for cols of them.
void unpack_row(const PackedMatrix& matrix, const Kernels& kernels, int row, int8_t* codes, float* values);

}  // namespace models
