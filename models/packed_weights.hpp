// Weights in the form that one kernel table reads, in one allocation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/buffer.hpp"
#include "models/kernels/kernels.hpp"
#include "models/padded.hpp"
#include "models/shape.hpp"
#include "models/weights.hpp"

namespace models {

/// W[rows, cols] as Kernels::pack left it, or for float32 row-major with the columns padded to 16; scales
/// padded to 16.
struct PackedMatrix {
  int8_t* codes = nullptr;
  float* scales = nullptr;
  int rows = 0, cols = 0;
  Arithmetic arithmetic = Arithmetic::int8;
};

/// One block; a convolution has taps, gate and mix, an attention has qkv and out.
struct PackedBlock {
  Block kind = Block::conv;
  float *norm1 = nullptr, *norm2 = nullptr;  ///< [d], padded to 16
  int8_t* taps = nullptr;                    ///< [conv_taps][d padded to 16], oldest first
  float* tap_scales = nullptr;               ///< [d], padded to 16
  PackedMatrix gate, mix, qkv, out;
  PackedMatrix f12;  ///< [ff padded to 16, then ff; d]: f1 and f2 as one matrix, read in one pass
  PackedMatrix f3;
};

/// Owns every weight that a token reads, in the order it reads them, each array on its own cache lines, on
/// pages of 4 KiB (huge ones are forbidden, whatever the system's default): what a plan's page_bytes says.
struct PackedWeights {
  std::unique_ptr<harness::Buffer> memory;
  size_t bytes = 0;
  std::vector<PackedBlock> blocks;
  float* final_norm = nullptr;  ///< [d], padded to 16
  PackedMatrix embedding;       ///< [vocab, d]: the head, and the rows that tokens look up
};

/// Throws Error(invalid_input) when the weights' dimensions are not the shape's.
PackedWeights pack_weights(const Shape& shape, const Weights& weights, const Kernels& kernels,
                           Arithmetic arithmetic = Arithmetic::int8);

/// Writes codes[cols] of one row.
void unpack_row(const PackedMatrix& matrix, const Kernels& kernels, int row, int8_t* codes);

}  // namespace models
