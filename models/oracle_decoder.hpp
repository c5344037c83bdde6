// The published runtime's arithmetic, for tests only: float sums in index order, its exponential, its fused
// multiply-adds. What the 16-lane decoder differs in from the oracle must not be seen here.
#pragma once
#include <cstdint>
#include <vector>

#include "models/i8_file.hpp"

namespace models {

/// The state of one sequence. `model` must outlive it. Matrices are at most 512 columns wide: beyond that the
/// published runtime leaves its integer path, and no oracle file goes there.
struct OracleDecoder {
  explicit OracleDecoder(const I8Model& model);

  struct BlockState {
    std::vector<float> history;                   ///< conv: [taps − 1][d], oldest first
    std::vector<int> keys, values;                ///< attention: [positions][kv_heads][head_dim], codes
    std::vector<float> key_scales, value_scales;  ///< [positions][kv_heads]
  };

  const I8Model& model;
  int position = 0;
  std::vector<BlockState> blocks;
};

/// Feeds a token (< vocab) at the next position (< context) and returns logits[vocab].
std::vector<float> step(OracleDecoder& decoder, uint32_t token);

}  // namespace models
