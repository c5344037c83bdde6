#include "models/packed_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/error.hpp"
#include "models/weights_check.hpp"

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
  [[nodiscard]] bool only_counts() const { return memory_ == nullptr; }

 private:
  std::byte* memory_;
  size_t used_ = 0;
};

/// Puts b below a, which is padded with rows of zeros to 16: b·x then starts on a cache line.
Matrix stacked(Matrix a, const Matrix& b) {
  const auto cols = static_cast<size_t>(a.cols), above = static_cast<size_t>(padded16(a.rows));
  const auto append = [](auto& to, size_t length, const auto& from) {
    to.resize(length);
    to.insert(to.end(), from.begin(), from.end());
  };
  append(a.codes, above * cols, b.codes);
  if (a.format == Format::int8) append(a.scales, above, b.scales);
  if (!a.half_scales.empty())
    append(a.half_scales, above * (a.half_scales.size() / static_cast<size_t>(a.rows)), b.half_scales);
  a.rows = padded16(a.rows) + b.rows;
  return a;
}

size_t packed_bytes(const PackedMatrix& matrix, const Kernels& kernels) {
  if (matrix.arithmetic == Arithmetic::float32)
    return static_cast<size_t>(matrix.rows) * static_cast<size_t>(padded16(matrix.cols));
  switch (matrix.format) {
    case Format::ternary:
      return kernels.ternary_packed_bytes(matrix.rows, matrix.cols);
    case Format::group3:
      return kernels.group3_packed_bytes(matrix.rows, matrix.cols);
    case Format::group4:
      return kernels.group4_packed_bytes(matrix.rows, matrix.cols);
    case Format::int8:
      break;
  }
  return kernels.packed_bytes(matrix.rows, matrix.cols);
}

int scale_count(const PackedMatrix& matrix) {
  return matrix.format == Format::int8 ? matrix.rows : matrix.format == Format::ternary ? 1 : 0;
}

void fill(const PackedMatrix& to, const Matrix& from, const Kernels& kernels) {
  std::copy(from.scales.begin(), from.scales.end(), to.scales);
  const int8_t* codes = from.codes.data();
  if (to.arithmetic == Arithmetic::float32) {
    const auto cols = static_cast<size_t>(to.cols), stride = static_cast<size_t>(padded16(to.cols));
    for (size_t row = 0; row < static_cast<size_t>(to.rows); ++row)
      std::memcpy(to.codes + row * stride, codes + row * cols, cols);
  } else if (to.format == Format::ternary) {
    kernels.ternary_pack(codes, to.rows, to.cols, to.low_bits);
  } else if (to.format == Format::group3) {
    kernels.group3_pack(codes, from.half_scales.data(), to.rows, to.cols, to.low_bits);
  } else if (to.format == Format::group4) {
    kernels.group4_pack(codes, from.half_scales.data(), to.rows, to.cols, to.low_bits);
  } else {
    kernels.pack(codes, to.rows, to.cols, to.codes);
  }
}

/// Lays a model out in an arena: what decides the packed form, and where it goes.
class Packing {
 public:
  Packing(const Shape& shape, const WeightSource& source, const Kernels& kernels, Arithmetic asked,
          std::byte* memory)
      : shape_(shape), table_(shape), source_(source), kernels_(kernels), asked_(asked), arena_(memory) {}

  PackedWeights pack() {
    PackedWeights packed;
    for (; block_ < static_cast<int>(shape_.blocks.size()); ++block_) packed.blocks.push_back(pack_block());
    block_ = -1;
    packed.final_norm = norm(TensorKind::final_norm);
    packed.embedding = matrix(TensorKind::embedding);
    packed.bytes = arena_.used();
    return packed;
  }

 private:
  Matrix canonical(const Tensor& tensor) const {
    Matrix matrix = source_.matrix(tensor);
    check_matrix(matrix, tensor, shape_);
    return matrix;
  }

  /// Copies f32 values to memory padded to 16; the padding stays zero.
  float* floats(int length, const std::vector<float>& values) {
    auto* at = arena_.take<float>(static_cast<size_t>(padded16(length)));
    if (at != nullptr) std::copy(values.begin(), values.end(), at);
    return at;
  }

  float* norm(TensorKind kind) {
    const Tensor& tensor = table_.at(kind, block_);
    std::vector<float> values;
    if (!arena_.only_counts()) {
      values = source_.norm(tensor);
      check_norm(values, tensor, shape_);
    }
    return floats(tensor.rows, values);
  }

  /// `below`, unless null, is stacked under the matrix.
  PackedMatrix matrix(const Tensor& tensor, const Tensor* below = nullptr) {
    PackedMatrix packed;
    packed.rows = below == nullptr ? tensor.rows : padded16(tensor.rows) + below->rows;
    packed.cols = tensor.cols;
    packed.format = tensor.format;
    packed.arithmetic = arithmetic_of(source_.widest_int8_row, tensor.cols, asked_);
    check_arithmetic(packed.arithmetic, tensor, shape_);
    if (packed.format == Format::int8) {
      packed.codes = arena_.take<int8_t>(packed_bytes(packed, kernels_));
    } else {
      packed.low_bits = arena_.take<uint8_t>(packed_bytes(packed, kernels_));
    }
    packed.scales = arena_.take<float>(static_cast<size_t>(padded16(scale_count(packed))));
    if (arena_.only_counts()) return packed;
    Matrix whole = canonical(tensor);
    if (below != nullptr) whole = stacked(std::move(whole), canonical(*below));
    fill(packed, whole, kernels_);
    return packed;
  }
  PackedMatrix matrix(TensorKind kind) { return matrix(table_.at(kind, block_)); }

  /// Transposes [d][taps] to [taps][d padded to 16], so that neighbouring channels share a vector.
  void pack_taps(PackedBlock& block) {
    const Tensor& tensor = table_.at(TensorKind::depthwise, block_);
    const size_t stride = static_cast<size_t>(padded16(tensor.rows));
    const auto rows = static_cast<size_t>(tensor.rows), taps = static_cast<size_t>(tensor.cols);
    const Matrix depthwise = arena_.only_counts() ? Matrix{} : canonical(tensor);
    block.taps = arena_.take<int8_t>(stride * taps);
    block.tap_scales = floats(tensor.rows, depthwise.scales);
    for (size_t row = 0; block.taps != nullptr && row < rows; ++row) {
      for (size_t tap = 0; tap < taps; ++tap)
        block.taps[tap * stride + row] = depthwise.codes[row * taps + tap];
    }
  }

  PackedMlp pack_mlp(int expert) {
    const Tensor &f1 = table_.at(TensorKind::f1, block_, expert),
                 &f2 = table_.at(TensorKind::f2, block_, expert);
    PackedMlp mlp;
    if (f1.format == Format::ternary) {
      mlp.f1 = matrix(f1);
      mlp.f2 = matrix(f2);
    } else {
      mlp.f1 = matrix(f1, &f2);
    }
    mlp.f3 = matrix(table_.at(TensorKind::f3, block_, expert));
    return mlp;
  }

  PackedBlock pack_block() {
    PackedBlock block;
    block.kind = shape_.blocks[static_cast<size_t>(block_)];
    block.norm1 = norm(TensorKind::norm1);
    if (block.kind == Block::conv) {
      pack_taps(block);
      block.gate = matrix(TensorKind::gate);
      block.mix = matrix(TensorKind::mix);
    } else {
      block.qkv = matrix(TensorKind::qkv);
      block.out = matrix(TensorKind::out);
    }
    block.norm2 = norm(TensorKind::norm2);
    if (shape_.experts.count == 0) {
      block.mlps.push_back(pack_mlp(-1));
      return block;
    }
    block.router = matrix(TensorKind::router);
    for (int expert = 0; expert < shape_.experts.count + shape_.experts.shared; ++expert)
      block.mlps.push_back(pack_mlp(expert));
    return block;
  }

  const Shape& shape_;
  TensorTable table_;
  const WeightSource& source_;
  const Kernels& kernels_;
  Arithmetic asked_;
  Arena arena_;
  int block_ = 0;
};

}  // namespace

PackedWeights pack_weights(const Shape& shape, const WeightSource& source, const Kernels& kernels,
                           Arithmetic arithmetic) {
  const size_t bytes = Packing(shape, source, kernels, arithmetic, nullptr).pack().bytes;
  auto memory = std::make_unique<harness::Buffer>(bytes, harness::Pages::small);
  std::memset(memory->data(), 0, memory->bytes());  // padding counts as zero
  PackedWeights packed = Packing(shape, source, kernels, arithmetic, memory->data()).pack();
  packed.memory = std::move(memory);
  return packed;
}

PackedWeights pack_weights(const Shape& shape, const Weights& weights, const Kernels& kernels,
                           Arithmetic arithmetic) {
  check_counts(weights, shape);
  return pack_weights(shape, source_of(weights), kernels, arithmetic);
}

void unpack_row(const PackedMatrix& matrix, const Kernels& kernels, int row, int8_t* codes, float* values) {
  if (matrix.format == Format::group4) {
    kernels.group4_unpack_row(matrix.low_bits, matrix.rows, matrix.cols, row, values);
    return;
  }
  if (matrix.arithmetic == Arithmetic::int8) {
    kernels.unpack_row(matrix.codes, matrix.rows, matrix.cols, row, codes);
  } else {
    std::memcpy(codes, matrix.codes + ptrdiff_t{row} * padded16(matrix.cols),
                static_cast<size_t>(matrix.cols));
  }
  const float scale = matrix.scales[row];
  for (int i = 0; i < matrix.cols; ++i) values[i] = scale * static_cast<float>(codes[i]);
}

}  // namespace models
