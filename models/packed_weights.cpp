#include "models/packed_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/error.hpp"

namespace models {
namespace {

/// Hands out cache lines of one allocation; without memory it only counts, so that a first pass finds the
/// size.
class Arena {
 public:
  explicit Arena(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* take(size_t count) {
    std::byte* at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (count * sizeof(T) + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    return reinterpret_cast<T*>(at);
  }
  [[nodiscard]] size_t used() const { return used_; }

 private:
  std::byte* memory_;
  size_t used_ = 0;
};

/// Copies f32 values to memory padded to 16; the padding stays zero.
float* place(Arena& arena, const std::vector<float>& values) {
  auto* at = arena.take<float>(static_cast<size_t>(padded16(static_cast<int>(values.size()))));
  if (at != nullptr) std::copy(values.begin(), values.end(), at);
  return at;
}

/// What decides the packed form of a matrix, and where it goes.
struct Placing {
  Arena& arena;
  const Kernels& kernels;
  const Weights& weights;
  Arithmetic asked;
};

PackedMatrix place(const Placing& to, const Matrix& matrix) {
  PackedMatrix packed;
  packed.rows = matrix.rows;
  packed.cols = matrix.cols;
  packed.arithmetic = arithmetic_of(to.weights, matrix.cols, to.asked);
  if (packed.arithmetic == Arithmetic::int8) {
    packed.codes = to.arena.take<int8_t>(to.kernels.packed_bytes(matrix.rows, matrix.cols));
    if (packed.codes != nullptr) to.kernels.pack(matrix.codes.data(), matrix.rows, matrix.cols, packed.codes);
  } else {
    const auto cols = static_cast<size_t>(matrix.cols), stride = static_cast<size_t>(padded16(matrix.cols));
    packed.codes = to.arena.take<int8_t>(static_cast<size_t>(matrix.rows) * stride);
    for (size_t row = 0; packed.codes != nullptr && row < static_cast<size_t>(matrix.rows); ++row)
      std::memcpy(packed.codes + row * stride, matrix.codes.data() + row * cols, cols);
  }
  packed.scales = place(to.arena, matrix.scales);
  return packed;
}

/// Puts b below a, which is padded with rows of zeros to 16: b·x then starts on a cache line.
Matrix stacked(const Matrix& a, const Matrix& b) {
  Matrix both = a;
  both.rows = padded16(a.rows) + b.rows;
  both.codes.resize(static_cast<size_t>(padded16(a.rows)) * static_cast<size_t>(a.cols));
  both.codes.insert(both.codes.end(), b.codes.begin(), b.codes.end());
  both.scales.resize(static_cast<size_t>(padded16(a.rows)));
  both.scales.insert(both.scales.end(), b.scales.begin(), b.scales.end());
  return both;
}

/// Transposes [d][taps] to [taps][d padded to 16], so that neighbouring channels share a vector.
int8_t* place_taps(Arena& arena, const Matrix& depthwise) {
  size_t stride = static_cast<size_t>(padded16(depthwise.rows));
  auto rows = static_cast<size_t>(depthwise.rows), taps = static_cast<size_t>(depthwise.cols);
  auto* at = arena.take<int8_t>(stride * taps);
  for (size_t row = 0; at != nullptr && row < rows; ++row) {
    for (size_t tap = 0; tap < taps; ++tap) at[tap * stride + row] = depthwise.codes[row * taps + tap];
  }
  return at;
}

PackedBlock place(const Placing& to, Block kind, const BlockWeights& weights) {
  Arena& arena = to.arena;
  PackedBlock block;
  block.kind = kind;
  block.norm1 = place(arena, weights.norm1);
  if (kind == Block::conv) {
    block.taps = place_taps(arena, weights.depthwise);
    block.tap_scales = place(arena, weights.depthwise.scales);
    block.gate = place(to, weights.gate);
    block.mix = place(to, weights.mix);
  } else {
    block.qkv = place(to, weights.qkv);
    block.out = place(to, weights.out);
  }
  block.norm2 = place(arena, weights.norm2);
  block.f12 = place(to, stacked(weights.f1, weights.f2));
  block.f3 = place(to, weights.f3);
  return block;
}

PackedWeights place(const Placing& to, const Shape& shape) {
  const Weights& weights = to.weights;
  PackedWeights packed;
  for (size_t i = 0; i < shape.blocks.size(); ++i) {
    packed.blocks.push_back(place(to, shape.blocks[i], weights.blocks[i]));
  }
  packed.final_norm = place(to.arena, weights.final_norm);
  packed.embedding = place(to, weights.embedding);
  packed.bytes = to.arena.used();
  return packed;
}

void check(bool good, const Shape& shape, const char* what) {
  if (good) return;
  throw harness::Error(
      harness::ExitCode::invalid_input,
      fmt::format("weights do not fit the model {}: {} has other dimensions or a code of -128", shape.name,
                  what));
}

void check(const Matrix& matrix, int rows, int cols, const Shape& shape, const char* what) {
  auto count = static_cast<size_t>(rows) * static_cast<size_t>(cols);
  check(matrix.rows == rows && matrix.cols == cols && matrix.codes.size() == count &&
            matrix.scales.size() == static_cast<size_t>(rows),
        shape, what);
  // Negating −128 overflows in the kernels' sign trick.
  check(std::find(matrix.codes.begin(), matrix.codes.end(), int8_t{-128}) == matrix.codes.end(), shape, what);
}

void check(const Shape& shape, const Weights& weights) {
  auto d = static_cast<size_t>(shape.d);
  check(weights.embedding, shape.vocab, shape.d, shape, "the embedding");
  check(weights.blocks.size() == shape.blocks.size(), shape, "the list of blocks");
  check(weights.final_norm.size() == d, shape, "the final norm");
  for (size_t i = 0; i < shape.blocks.size(); ++i) {
    const BlockWeights& block = weights.blocks[i];
    check(block.norm1.size() == d && block.norm2.size() == d, shape, "a block's norm");
    if (shape.blocks[i] == Block::conv) {
      check(block.depthwise, shape.d, shape.conv_taps, shape, "a depthwise convolution");
      check(block.gate, shape.d, shape.d, shape, "a gate");
      check(block.mix, shape.d, shape.d, shape, "a mix");
    } else {
      check(block.qkv, shape.d + 2 * shape.kv_heads * shape.head_dim, shape.d, shape, "a q|k|v projection");
      check(block.out, shape.d, shape.heads * shape.head_dim, shape, "an attention output");
    }
    check(block.f1, shape.ff, shape.d, shape, "an f1");
    check(block.f2, shape.ff, shape.d, shape, "an f2");
    check(block.f3, shape.d, shape.ff, shape, "an f3");
  }
}

}  // namespace

PackedWeights pack_weights(const Shape& shape, const Weights& weights, const Kernels& kernels,
                           Arithmetic arithmetic) {
  check(shape, weights);
  Arena counter(nullptr);
  size_t bytes = place({counter, kernels, weights, arithmetic}, shape).bytes;
  auto memory = std::make_unique<harness::Buffer>(bytes, harness::Pages::small);
  std::memset(memory->data(), 0, memory->bytes());  // padding counts as zero
  Arena arena(memory->data());
  PackedWeights packed = place({arena, kernels, weights, arithmetic}, shape);
  packed.memory = std::move(memory);
  return packed;
}

void unpack_row(const PackedMatrix& matrix, const Kernels& kernels, int row, int8_t* codes) {
  if (matrix.arithmetic == Arithmetic::int8) {
    kernels.unpack_row(matrix.codes, matrix.rows, matrix.cols, row, codes);
  } else {
    std::memcpy(codes, matrix.codes + ptrdiff_t{row} * padded16(matrix.cols),
                static_cast<size_t>(matrix.cols));
  }
}

}  // namespace models
