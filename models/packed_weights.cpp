#include "models/packed_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/error.hpp"
#include "models/arena.hpp"
#include "models/padded.hpp"
#include "models/parts.hpp"
#include "models/weights_check.hpp"

namespace models {
namespace {

/// Returns rows first … end − 1.
Matrix slice(const Matrix& whole, int first, int end) {
  if (first == 0 && end == whole.rows) return whole;
  Matrix part;
  part.rows = end - first;
  part.cols = whole.cols;
  part.format = whole.format;
  const auto cut = [&](auto& to, const auto& from) {
    const auto per_row = static_cast<ptrdiff_t>(from.size()) / whole.rows;
    to.assign(from.begin() + first * per_row, from.begin() + end * per_row);
  };
  cut(part.codes, whole.codes);
  if (whole.format == Format::int8) {
    cut(part.scales, whole.scales);
  } else {
    part.scales = whole.scales;  // γ is the whole matrix's
    cut(part.half_scales, whole.half_scales);
  }
  return part;
}

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
  Packing(const Shape& shape, const WeightSource& source, const Kernels& kernels, const Packed& how,
          std::byte* memory)
      : shape_(shape), table_(shape), source_(source), kernels_(kernels), how_(how), arena_(memory) {}

  PackedWeights pack() {
    PackedWeights packed;
    packed.parts.resize(static_cast<size_t>(how_.parts));
    for (; block_ < static_cast<int>(shape_.blocks.size()); ++block_) {
      std::vector<PackedBlock> of_parts = pack_block();
      for (size_t part = 0; part < of_parts.size(); ++part)
        packed.parts[part].blocks.push_back(std::move(of_parts[part]));
    }
    block_ = -1;
    float* final_norm = norm(TensorKind::final_norm);
    const std::vector<PackedMatrix> embedding = matrix(TensorKind::embedding);
    for (size_t part = 0; part < embedding.size(); ++part) {
      packed.parts[part].final_norm = final_norm;
      packed.parts[part].embedding = embedding[part];
    }
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
    auto* at = arena_.take_padded<float>(length);
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

  /// Packs the parts of a matrix; `below`, unless null, is stacked under it, part by part.
  std::vector<PackedMatrix> matrix(const Tensor& tensor, const Tensor* below, int parts) {
    Matrix above, under;
    if (!arena_.only_counts()) {
      above = canonical(tensor);
      if (below != nullptr) under = canonical(*below);
    }
    std::vector<PackedMatrix> packed;
    for (int part = 0; part < parts; ++part) {
      const auto [first, end] = rows_of_part(tensor.rows, part, parts);
      packed.push_back(place(tensor, first, end, below != nullptr));
      if (arena_.only_counts() || first == end) continue;
      Matrix rows = slice(above, first, end);
      if (below != nullptr) rows = stacked(std::move(rows), slice(under, first, end));
      fill(packed.back(), rows, kernels_);
    }
    return packed;
  }
  std::vector<PackedMatrix> matrix(TensorKind kind) {
    return matrix(table_.at(kind, block_), nullptr, how_.parts);
  }

  /// Takes the memory of rows first … end − 1, with as many below them when `doubled`.
  PackedMatrix place(const Tensor& tensor, int first, int end, bool doubled) {
    PackedMatrix packed;
    packed.rows = doubled && end > first ? padded16(end - first) + end - first : end - first;
    packed.cols = tensor.cols;
    packed.first_row = first;
    packed.format = tensor.format;
    packed.arithmetic = arithmetic_of(source_.widest_int8_row, tensor.cols, how_.arithmetic);
    check_arithmetic(packed.arithmetic, tensor, shape_);
    if (packed.format == Format::int8) {
      packed.codes = arena_.take<int8_t>(packed_bytes(packed, kernels_));
    } else {
      packed.low_bits = arena_.take<uint8_t>(packed_bytes(packed, kernels_));
    }
    packed.scales = arena_.take_padded<float>(scale_count(packed));
    return packed;
  }

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

  /// Packs the parts of an expert, or of the block's one MLP (−1).
  std::vector<PackedMlp> pack_mlp(int expert, int parts) {
    const Tensor &f1 = table_.at(TensorKind::f1, block_, expert),
                 &f2 = table_.at(TensorKind::f2, block_, expert);
    const bool apart = f1.format == Format::ternary;
    const std::vector<PackedMatrix> first = matrix(f1, apart ? nullptr : &f2, parts);
    const std::vector<PackedMatrix> second =
        apart ? matrix(f2, nullptr, parts) : std::vector<PackedMatrix>(static_cast<size_t>(parts));
    const std::vector<PackedMatrix> third = matrix(table_.at(TensorKind::f3, block_, expert), nullptr, parts);
    std::vector<PackedMlp> mlps;
    for (int part = 0; part < parts; ++part) {
      const auto [from, end] = rows_of_part(f1.rows, part, parts);
      const auto at = static_cast<size_t>(part);
      mlps.push_back({end - from, first[at], second[at], third[at]});
    }
    return mlps;
  }

  void pack_mlps(std::vector<PackedBlock>& parts) {
    const int routed = shape_.experts.count, all = routed + shape_.experts.shared;
    for (int expert = 0; expert < std::max(all, 1); ++expert) {
      const bool whole = expert < routed;  // one thread runs all of it, whichever
      const std::vector<PackedMlp> mlps = pack_mlp(routed == 0 ? -1 : expert, whole ? 1 : how_.parts);
      for (size_t part = 0; part < parts.size(); ++part) parts[part].mlps.push_back(mlps[whole ? 0 : part]);
    }
  }

  std::vector<PackedBlock> pack_block() {
    PackedBlock common;
    common.kind = shape_.blocks[static_cast<size_t>(block_)];
    common.norm1 = norm(TensorKind::norm1);
    if (common.kind == Block::conv) pack_taps(common);
    std::vector<PackedBlock> parts(static_cast<size_t>(how_.parts), common);
    const auto give = [&](PackedMatrix PackedBlock::*member, TensorKind kind) {
      const std::vector<PackedMatrix> of_parts = matrix(kind);
      for (size_t part = 0; part < parts.size(); ++part) parts[part].*member = of_parts[part];
    };
    if (common.kind == Block::conv) {
      give(&PackedBlock::gate, TensorKind::gate);
      give(&PackedBlock::mix, TensorKind::mix);
    } else {
      give(&PackedBlock::qkv, TensorKind::qkv);
      give(&PackedBlock::out, TensorKind::out);
    }
    float* norm2 = norm(TensorKind::norm2);
    for (PackedBlock& part : parts) part.norm2 = norm2;
    if (shape_.experts.count > 0) give(&PackedBlock::router, TensorKind::router);
    pack_mlps(parts);
    return parts;
  }

  const Shape& shape_;
  TensorTable table_;
  const WeightSource& source_;
  const Kernels& kernels_;
  const Packed& how_;
  Arena arena_;
  int block_ = 0;
};

}  // namespace

PackedWeights pack_weights(const Shape& shape, const WeightSource& source, const Kernels& kernels,
                           const Packed& how) {
  const size_t bytes = Packing(shape, source, kernels, how, nullptr).pack().bytes;
  auto memory = std::make_unique<harness::Buffer>(bytes, how.pages);
  std::memset(memory->data(), 0, memory->bytes());  // padding counts as zero
  PackedWeights packed = Packing(shape, source, kernels, how, memory->data()).pack();
  packed.memory = std::move(memory);
  return packed;
}

PackedWeights pack_weights(const Shape& shape, const Weights& weights, const Kernels& kernels,
                           const Packed& how) {
  check_counts(weights, shape);
  return pack_weights(shape, source_of(weights), kernels, how);
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
