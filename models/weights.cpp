#include "models/weights.hpp"

#include <fmt/format.h>

#include "harness/error.hpp"

namespace models {
namespace {

[[noreturn]] void refuse_place(const Tensor& tensor) {
  throw harness::Error(
      harness::ExitCode::invalid_input,
      fmt::format("the weights lack {}; the list of blocks or experts is another", describe(tensor)));
}

/// The same for weights that may and that may not be written to.
template <class AnyWeights>
auto& block_at(AnyWeights& weights, const Tensor& tensor) {
  const auto at = static_cast<size_t>(tensor.block);
  if (at >= weights.blocks.size()) refuse_place(tensor);
  return weights.blocks[at];
}

template <class AnyMlp>
auto& mlp_matrix_at(AnyMlp& mlp, TensorKind kind) {
  return kind == TensorKind::f1 ? mlp.f1 : kind == TensorKind::f2 ? mlp.f2 : mlp.f3;
}

template <class AnyWeights>
auto& any_matrix_at(AnyWeights& weights, const Tensor& tensor) {
  if (tensor.kind == TensorKind::embedding) return weights.embedding;
  auto& block = block_at(weights, tensor);
  if (tensor.expert >= static_cast<int>(block.experts.size())) refuse_place(tensor);
  if (tensor.expert >= 0)
    return mlp_matrix_at(block.experts[static_cast<size_t>(tensor.expert)], tensor.kind);
  switch (tensor.kind) {
    case TensorKind::depthwise:
      return block.depthwise;
    case TensorKind::gate:
      return block.gate;
    case TensorKind::mix:
      return block.mix;
    case TensorKind::qkv:
      return block.qkv;
    case TensorKind::out:
      return block.out;
    case TensorKind::router:
      return block.router;
    default:
      return mlp_matrix_at(block, tensor.kind);
  }
}

template <class AnyWeights>
auto& any_norm_at(AnyWeights& weights, const Tensor& tensor) {
  if (tensor.kind == TensorKind::final_norm) return weights.final_norm;
  auto& block = block_at(weights, tensor);
  return tensor.kind == TensorKind::norm1 ? block.norm1 : block.norm2;
}

}  // namespace

Arithmetic find_arithmetic(std::string_view name) {
  if (name == "int8") return Arithmetic::int8;
  if (name == "float") return Arithmetic::float32;
  throw harness::Error(harness::ExitCode::usage, fmt::format("no arithmetic '{}': give int8 or float", name));
}

Arithmetic arithmetic_of(const Weights& weights, int cols, Arithmetic asked) {
  return arithmetic_of(weights.widest_int8_row, cols, asked);
}

Arithmetic arithmetic_of(int widest_int8_row, int cols, Arithmetic asked) {
  const bool too_wide = widest_int8_row > 0 && cols > widest_int8_row;
  return too_wide ? Arithmetic::float32 : asked;
}

Matrix& matrix_at(Weights& weights, const Tensor& tensor) {
  return any_matrix_at(weights, tensor);
}

const Matrix& matrix_at(const Weights& weights, const Tensor& tensor) {
  return any_matrix_at(weights, tensor);
}

std::vector<float>& norm_at(Weights& weights, const Tensor& tensor) {
  return any_norm_at(weights, tensor);
}

const std::vector<float>& norm_at(const Weights& weights, const Tensor& tensor) {
  return any_norm_at(weights, tensor);
}

}  // namespace models
