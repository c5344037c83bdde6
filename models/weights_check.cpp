#include "models/weights_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/error.hpp"

namespace models {
namespace {

void require(bool good, const Shape& shape, const std::string& what) {
  if (good) return;
  throw harness::Error(harness::ExitCode::invalid_input,
                       fmt::format("weights do not fit the model {}: {}", shape.name, what));
}

struct Range {
  int8_t lowest, highest;
};

/// int8 has no −128: negating it overflows in the kernels' sign trick.
Range codes_of(Format format) {
  switch (format) {
    case Format::ternary:
      return {-1, 1};
    case Format::group3:
      return {-4, 3};
    case Format::group4:
      return {-8, 7};
    case Format::int8:
      break;
  }
  return {-127, 127};
}

}  // namespace

void check_matrix(const Matrix& matrix, const Tensor& tensor, const Shape& shape) {
  const auto rows = static_cast<size_t>(tensor.rows), cols = static_cast<size_t>(tensor.cols);
  const bool grouped = tensor.format == Format::group3 || tensor.format == Format::group4;
  const size_t scales = tensor.format == Format::int8 ? rows : tensor.format == Format::ternary ? 1 : 0;
  const size_t groups = grouped ? rows * ((cols + group_cols - 1) / group_cols) : 0;
  require(matrix.format == tensor.format && matrix.rows == tensor.rows && matrix.cols == tensor.cols &&
              matrix.codes.size() == rows * cols && matrix.scales.size() == scales &&
              matrix.half_scales.size() == groups,
          shape, describe(tensor) + " has other dimensions or another format");
  int8_t lowest = 0, highest = 0;  // of 400 M codes: a plain loop, which vectorises
  for (const int8_t code : matrix.codes) {
    lowest = std::min(lowest, code);
    highest = std::max(highest, code);
  }
  const Range range = codes_of(tensor.format);
  require(lowest >= range.lowest && highest <= range.highest, shape,
          fmt::format("{} has a code outside {} to {}", describe(tensor), range.lowest, range.highest));
}

void check_norm(const std::vector<float>& norm, const Tensor& tensor, const Shape& shape) {
  require(norm.size() == static_cast<size_t>(tensor.rows), shape, describe(tensor) + " has another length");
}

void check_counts(const Weights& weights, const Shape& shape) {
  require(weights.blocks.size() == shape.blocks.size(), shape, "the list of blocks is another");
  const int experts = shape.experts.count > 0 ? shape.experts.count + shape.experts.shared : 0;
  for (const BlockWeights& block : weights.blocks)
    require(block.experts.size() == static_cast<size_t>(experts), shape, "a block's experts are others");
}

void check_arithmetic(Arithmetic arithmetic, const Tensor& tensor, const Shape& shape) {
  if (arithmetic == Arithmetic::int8 || tensor.format == Format::int8) return;
  throw harness::Error(
      harness::ExitCode::invalid_input,
      fmt::format("model {}: only int8 matrices multiply in float arithmetic, and {} is not int8", shape.name,
                  describe(tensor)));
}

}  // namespace models
