#include "models/weight_source.hpp"

#include <algorithm>
#include <cmath>

#include "harness/digest.hpp"
#include "models/half.hpp"
#include "models/splitmix64.hpp"

namespace models {
namespace {

/// Centred sum of four 6-bit fields: mean 0, variance 4·(64² − 1)/12 = 1365, in [−126, 126].
int8_t int8_code(uint64_t bits) {
  const uint64_t sum = (bits & 63) + (bits >> 6 & 63) + (bits >> 12 & 63) + (bits >> 18 & 63);
  return static_cast<int8_t>(static_cast<int>(sum) - 126);
}

/// Uniform on −most … most. The upper half of 32 bits · levels is uniform to within levels/2^32.
int8_t uniform_code(uint64_t bits, int most) {
  const auto levels = 2 * static_cast<uint64_t>(most) + 1;
  return static_cast<int8_t>(static_cast<int>((bits >> 32) * levels >> 32) - most);
}

constexpr int most3 = 3, most4 = 7;
constexpr size_t ternary_per_draw = 32;

void draw_ternary(uint64_t key, std::vector<int8_t>& codes) {
  for (size_t i = 0; i < codes.size(); i += ternary_per_draw) {
    uint64_t bits = splitmix64(key, i / ternary_per_draw);
    // Two fair bits, less one: −1, 0, 0, 1.
    for (size_t j = i; j < std::min(i + ternary_per_draw, codes.size()); ++j, bits >>= 2)
      codes[j] = static_cast<int8_t>(static_cast<int>((bits & 1) + (bits >> 1 & 1)) - 1);
  }
}

void draw_codes(uint64_t key, Format format, std::vector<int8_t>& codes) {
  if (format == Format::ternary) return draw_ternary(key, codes);
  for (size_t i = 0; i < codes.size(); ++i) {
    const uint64_t bits = splitmix64(key, i);
    codes[i] = format == Format::group3   ? uniform_code(bits, most3)
               : format == Format::group4 ? uniform_code(bits, most4)
                                          : int8_code(bits);
  }
}

double variance_of(Format format) {
  switch (format) {
    case Format::ternary:
      return 0.5;
    case Format::group3:
      return ((2 * most3 + 1) * (2 * most3 + 1) - 1) / 12.0;
    case Format::group4:
      return ((2 * most4 + 1) * (2 * most4 + 1) - 1) / 12.0;
    case Format::int8:
      break;
  }
  return 1365;
}

Matrix draw_matrix(uint64_t key, const Tensor& tensor) {
  Matrix matrix;
  matrix.rows = tensor.rows;
  matrix.cols = tensor.cols;
  matrix.format = tensor.format;
  const auto rows = static_cast<size_t>(tensor.rows), cols = static_cast<size_t>(tensor.cols);
  matrix.codes.resize(rows * cols);
  draw_codes(key, tensor.format, matrix.codes);
  // Square root and division round correctly everywhere, so this constant has the same bytes on every
  // compiler.
  const auto scale = static_cast<float>(1.0 / std::sqrt(variance_of(tensor.format) * tensor.cols));
  if (tensor.format == Format::int8) {
    matrix.scales.assign(rows, scale);
  } else if (tensor.format == Format::ternary) {
    matrix.scales.assign(1, scale);
  } else {
    matrix.half_scales.assign(rows * ((cols + group_cols - 1) / group_cols), half_from_float(scale));
  }
  return matrix;
}

/// Uniform in [0.75, 1.25) in steps of 2^-21, each exact in f32.
std::vector<float> draw_norm(uint64_t key, int length) {
  std::vector<float> norm(static_cast<size_t>(length));
  for (size_t i = 0; i < norm.size(); ++i) {
    const auto steps = static_cast<int32_t>((3u << 19) + (splitmix64(key, i) >> 44));
    norm[i] = static_cast<float>(steps) / static_cast<float>(1 << 21);
  }
  return norm;
}

template <class T>
void update(harness::Sha256& hash, const std::vector<T>& values) {
  hash.update(values.data(), values.size() * sizeof(T));
}

}  // namespace

WeightSource source_of(const Weights& weights) {
  return {[&weights](const Tensor& tensor) { return matrix_at(weights, tensor); },
          [&weights](const Tensor& tensor) { return norm_at(weights, tensor); }, weights.widest_int8_row};
}

WeightSource synthetic_source(uint64_t seed) {
  const auto key = [seed](const Tensor& tensor) {
    return splitmix64(seed, static_cast<uint64_t>(tensor.id));
  };
  return {[key](const Tensor& tensor) { return draw_matrix(key(tensor), tensor); },
          [key](const Tensor& tensor) { return draw_norm(key(tensor), tensor.rows); }, 0};
}

Weights collect(const Shape& shape, const WeightSource& source) {
  Weights weights;
  weights.widest_int8_row = source.widest_int8_row;
  weights.blocks.resize(shape.blocks.size());
  if (shape.experts.count > 0) {
    for (BlockWeights& block : weights.blocks)
      block.experts.resize(static_cast<size_t>(shape.experts.count) +
                           static_cast<size_t>(shape.experts.shared));
  }
  for (const Tensor& tensor : tensors(shape)) {
    if (is_norm(tensor.kind)) {
      norm_at(weights, tensor) = source.norm(tensor);
    } else {
      matrix_at(weights, tensor) = source.matrix(tensor);
    }
  }
  return weights;
}

Weights synthetic_weights(const Shape& shape, uint64_t seed) {
  return collect(shape, synthetic_source(seed));
}

DraftWeights synthetic_draft_weights(const Shape& shape, uint64_t seed) {
  const WeightSource source = synthetic_source(seed);
  int id = static_cast<int>(tensors(shape).size());
  const auto norm = [&] {
    return source.norm({.kind = TensorKind::norm1, .rows = shape.d, .cols = 1, .id = id++});
  };
  const auto matrix = [&](int rows, int cols) {
    return source.matrix({.kind = TensorKind::f1, .rows = rows, .cols = cols, .id = id++});
  };
  DraftWeights draft;
  draft.norm1 = norm();
  draft.f1 = matrix(shape.draft_ff, shape.d);
  draft.f2 = matrix(shape.draft_ff, shape.d);
  draft.f3 = matrix(shape.d, shape.draft_ff);
  draft.norm2 = norm();
  return draft;
}

std::string weights_digest(const Shape& shape, const WeightSource& source) {
  harness::Sha256 hash;
  for (const Tensor& tensor : tensors(shape)) {
    if (is_norm(tensor.kind)) {
      update(hash, source.norm(tensor));
      continue;
    }
    const Matrix matrix = source.matrix(tensor);
    update(hash, matrix.codes);
    update(hash, matrix.scales);
    update(hash, matrix.half_scales);
  }
  return hash.hex();
}

}  // namespace models
