// Where weights come from, one tensor at a time: a model need not be in memory in canonical form to be
// packed.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/shape.hpp"
#include "models/tensors.hpp"
#include "models/weights.hpp"

namespace models {

/// Yields the tensors of one model, any of them, in any order, as often as asked.
struct WeightSource {
  std::function<Matrix(const Tensor&)> matrix;
  std::function<std::vector<float>(const Tensor&)> norm;
  int widest_int8_row = 0;  ///< as in Weights
};

/// Yields copies of the tensors of weights in memory, which must outlive the source.
WeightSource source_of(const Weights& weights);

/// Makes seeded synthetic weights: counter-based SplitMix64 over (seed, tensor id, index), integers only, so
/// that every compiler makes the same bytes. int8: the centred sum of four 6-bit fields; ternary: −1, 0, 1
/// with P = ¼, ½, ¼; group3 and group4: uniform on −3 … 3 and −7 … 7. Scales give each row an RMS of 1/√cols.
WeightSource synthetic_source(uint64_t seed);

/// Returns every tensor of a source in memory.
Weights collect(const Shape& shape, const WeightSource& source);
/// collect() of the synthetic source.
Weights synthetic_weights(const Shape& shape, uint64_t seed);

/// Makes the draft head that belongs to synthetic weights of the same seed: its tensors are numbered behind
/// theirs. The shape has a draft_ff.
DraftWeights synthetic_draft_weights(const Shape& shape, uint64_t seed);

/// SHA-256 over canonical codes, scales and norms in file order.
std::string weights_digest(const Shape& shape, const WeightSource& source);

}  // namespace models
