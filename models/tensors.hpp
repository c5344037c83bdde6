// The tensors that a model is made of: their place, dimensions, format and size.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/shape.hpp"

namespace models {

enum class TensorKind {
  embedding,
  norm1,
  norm2,
  depthwise,
  gate,
  mix,
  qkv,
  out,
  router,
  f1,
  f2,
  f3,
  final_norm,
};

/// One matrix W[rows, cols], or a norm of `rows` f32 weights (cols 1).
struct Tensor {
  TensorKind kind = TensorKind::final_norm;
  int block = -1;   ///< −1: of no block
  int expert = -1;  ///< −1: of no expert; those from Experts::count on are the shared ones
  int rows = 0, cols = 0;
  Format format = Format::int8;
  int id = 0;  ///< its place in file order
};

bool is_norm(TensorKind kind);
/// Says the place in words, for messages: "an f3 of block 2, expert 17".
std::string describe(const Tensor& tensor);

/// Every tensor in file order: embedding; of each block n1, n2, then dw, gate, mix or Wqkv, Wo, then f1, f2,
/// f3, or the router and f1, f2, f3 of one expert after the other, shared ones last; the final norm.
std::vector<Tensor> tensors(const Shape& shape);

/// Bytes of a matrix's codes, with the scales of groups, which lie among them; 0 for a norm.
int64_t code_bytes(const Tensor& tensor);
/// Bytes of all of a tensor: codes, scales and γ, or a norm's weights.
int64_t tensor_bytes(const Tensor& tensor);

/// Finds tensors by their place.
class TensorTable {
 public:
  explicit TensorTable(const Shape& shape);
  /// The tensor must exist.
  [[nodiscard]] const Tensor& at(TensorKind kind, int block = -1, int expert = -1) const;
  [[nodiscard]] const std::vector<Tensor>& all() const { return all_; }

 private:
  std::vector<Tensor> all_;
  std::vector<int> first_of_block_;  ///< ids
};

}  // namespace models
