#include "models/shape.hpp"

#include <algorithm>

#include "models/tensors.hpp"

namespace models {
namespace {

constexpr int64_t f32_bytes = sizeof(float);
// Header with its two bytes of padding, and one row of the section table, of the published weights file.
constexpr int64_t file_header_bytes = 66, file_section_bytes = 32;

/// Adds up matrices and norms.
struct Tally {
  int64_t weights = 0, codes = 0, macs = 0, bytes = 0, sections = 0;

  void add(const Tensor& tensor) {
    const int64_t count = int64_t{tensor.rows} * tensor.cols;
    weights += count;
    bytes += tensor_bytes(tensor);
    ++sections;
    if (is_norm(tensor.kind)) return;
    codes += code_bytes(tensor);
    macs += count;
  }
};

/// Visits an expert of each kind as often as a token does: they are all of one size.
bool token_reads(const Shape& shape, const Tensor& tensor) {
  return tensor.expert < shape.experts.top_k || tensor.expert >= shape.experts.count;
}

Tally tally_draft(const Shape& shape) {
  Tally tally;
  if (shape.draft_ff == 0) return tally;
  const Tensor norm{.rows = shape.d, .cols = 1},
      up{.kind = TensorKind::f1, .rows = shape.draft_ff, .cols = shape.d},
      down{.kind = TensorKind::f3, .rows = shape.d, .cols = shape.draft_ff};
  for (const Tensor& tensor : {norm, up, up, down, norm}) tally.add(tensor);
  return tally;
}

/// The published format knows int8 rows, one MLP per block and no norms but two per block and the last.
bool has_file_format(const Shape& shape) {
  return shape.body_format == Format::int8 && shape.embedding_format == Format::int8 &&
         shape.experts.count == 0 && !shape.inner_norms;
}

int64_t qkv_rows(const Shape& shape) {
  return (shape.heads + int64_t{2} * shape.kv_heads) * shape.head_dim;
}

/// Convolution history, logits, one row of attention scores and the vectors a token passes through: seven of
/// width d, two of width ff, q|k|v, the router's choice, and one quantised query of 16-bit codes. This
/// reproduces the published 2,090,710 bytes.
int64_t state_and_scratch_bytes(const Shape& shape) {
  int64_t conv_blocks = 0;
  for (Block block : shape.blocks) conv_blocks += block == Block::conv ? 1 : 0;
  int64_t floats = conv_blocks * shape.d * (shape.conv_taps - 1);
  floats += shape.vocab + shape.context;
  floats += int64_t{7} * shape.d + int64_t{2} * shape.ff + qkv_rows(shape) + shape.experts.count;
  return floats * f32_bytes + shape.head_dim * int64_t{sizeof(int16_t)};
}

int64_t kv_bytes(const Shape& shape) {
  int64_t per_position = 0;
  for (Block block : shape.blocks) {
    if (block == Block::attention) per_position += shape.kv_heads * (2 * shape.head_dim + 2 * f32_bytes);
  }
  return per_position * shape.context;
}

}  // namespace

Cost cost(const Shape& shape) {
  Tally all, token;
  const Tally draft = tally_draft(shape);
  for (const Tensor& tensor : tensors(shape)) {
    all.add(tensor);
    if (token_reads(shape, tensor)) token.add(tensor);
  }
  Cost cost;
  cost.parameters = all.weights;
  cost.code_bytes_per_token = token.codes;
  cost.weight_bytes_per_token = token.bytes;
  cost.weight_bytes = all.bytes;
  if (has_file_format(shape))
    cost.file_bytes =
        file_header_bytes + file_section_bytes * (all.sections + draft.sections) + all.bytes + draft.bytes;
  cost.kv_bytes = kv_bytes(shape);
  cost.working_set_bytes =
      std::max(cost.file_bytes, cost.weight_bytes) + cost.kv_bytes + state_and_scratch_bytes(shape);
  cost.macs_per_token = token.macs;
  return cost;
}

}  // namespace models
