#include "models/weights.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "models/splitmix64.hpp"

namespace models {
namespace {

/// Centred sum of four 6-bit fields: mean 0, variance 4·(64² − 1)/12 = 1365, in [−126, 126].
constexpr double code_variance = 1365;

int8_t synthetic_code(uint64_t bits) {
  uint64_t sum = (bits & 63) + (bits >> 6 & 63) + (bits >> 12 & 63) + (bits >> 18 & 63);
  return static_cast<int8_t>(static_cast<int>(sum) - 126);
}

/// Draws tensors in file order; the place in that order is the tensor id.
class Draw {
 public:
  explicit Draw(uint64_t seed, uint64_t first_tensor = 0) : seed_(seed), tensor_(first_tensor) {}

  Matrix matrix(int rows, int cols) {
    uint64_t key = next_key();
    Matrix matrix{rows, cols, {}, {}};
    matrix.codes.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    for (size_t i = 0; i < matrix.codes.size(); ++i) matrix.codes[i] = synthetic_code(splitmix64(key, i));
    // Square root and division round correctly everywhere, so this constant has the same bytes on every
    // compiler.
    matrix.scales.assign(static_cast<size_t>(rows),
                         static_cast<float>(1.0 / std::sqrt(code_variance * cols)));
    return matrix;
  }

  /// Uniform in [0.75, 1.25) in steps of 2^-21, each exact in f32.
  std::vector<float> norm(int length) {
    uint64_t key = next_key();
    std::vector<float> norm(static_cast<size_t>(length));
    for (size_t i = 0; i < norm.size(); ++i) {
      auto steps = static_cast<int32_t>((3u << 19) + (splitmix64(key, i) >> 44));
      norm[i] = static_cast<float>(steps) / static_cast<float>(1 << 21);
    }
    return norm;
  }

 private:
  uint64_t next_key() { return splitmix64(seed_, tensor_++); }

  uint64_t seed_;
  uint64_t tensor_;
};

BlockWeights draw_block(const Shape& shape, Block kind, Draw& draw) {
  BlockWeights block;
  block.norm1 = draw.norm(shape.d);
  block.norm2 = draw.norm(shape.d);
  if (kind == Block::conv) {
    block.depthwise = draw.matrix(shape.d, shape.conv_taps);
    block.gate = draw.matrix(shape.d, shape.d);
    block.mix = draw.matrix(shape.d, shape.d);
  } else {
    block.qkv = draw.matrix(shape.d + 2 * shape.kv_heads * shape.head_dim, shape.d);
    block.out = draw.matrix(shape.d, shape.heads * shape.head_dim);
  }
  block.f1 = draw.matrix(shape.ff, shape.d);
  block.f2 = draw.matrix(shape.ff, shape.d);
  block.f3 = draw.matrix(shape.d, shape.ff);
  return block;
}

void update(harness::Sha256& hash, const std::vector<float>& values) {
  hash.update(values.data(), values.size() * sizeof(float));
}

void update(harness::Sha256& hash, const Matrix& matrix) {
  hash.update(matrix.codes.data(), matrix.codes.size());
  update(hash, matrix.scales);
}

}  // namespace

Weights synthetic_weights(const Shape& shape, uint64_t seed) {
  Draw draw(seed);
  Weights weights;
  weights.embedding = draw.matrix(shape.vocab, shape.d);
  for (Block kind : shape.blocks) weights.blocks.push_back(draw_block(shape, kind, draw));
  weights.final_norm = draw.norm(shape.d);
  return weights;
}

DraftWeights synthetic_draft_weights(const Shape& shape, uint64_t seed) {
  uint64_t tensors = 2;  // embedding and final norm
  for (Block kind : shape.blocks) tensors += kind == Block::conv ? 8 : 7;
  Draw draw(seed, tensors);
  DraftWeights draft;
  draft.norm1 = draw.norm(shape.d);
  draft.f1 = draw.matrix(shape.draft_ff, shape.d);
  draft.f2 = draw.matrix(shape.draft_ff, shape.d);
  draft.f3 = draw.matrix(shape.d, shape.draft_ff);
  draft.norm2 = draw.norm(shape.d);
  return draft;
}

Arithmetic find_arithmetic(std::string_view name) {
  if (name == "int8") return Arithmetic::int8;
  if (name == "float") return Arithmetic::float32;
  throw harness::Error(harness::ExitCode::usage, fmt::format("no arithmetic '{}': give int8 or float", name));
}

Arithmetic arithmetic_of(const Weights& weights, int cols, Arithmetic asked) {
  const bool too_wide = weights.widest_int8_row > 0 && cols > weights.widest_int8_row;
  return too_wide ? Arithmetic::float32 : asked;
}

std::string weights_digest(const Weights& weights) {
  harness::Sha256 hash;
  update(hash, weights.embedding);
  for (const BlockWeights& block : weights.blocks) {
    update(hash, block.norm1);
    update(hash, block.norm2);
    // A block has either the convolution's or the attention's matrices; the others are empty and add nothing.
    for (const Matrix* matrix : {&block.depthwise, &block.gate, &block.mix, &block.qkv, &block.out, &block.f1,
                                 &block.f2, &block.f3}) {
      update(hash, *matrix);
    }
  }
  update(hash, weights.final_norm);
  return hash.hex();
}

}  // namespace models
