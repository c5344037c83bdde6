#include "models/shape.hpp"

namespace models {
namespace {

// An int8 matrix has one f32 scale per row.
constexpr int64_t scale_bytes = sizeof(float);
// Header with its two bytes of padding, and one row of the section table, of the published weights file.
constexpr int64_t file_header_bytes = 66, file_section_bytes = 32;

/// Adds up matrices and norms.
struct Tally {
  int64_t codes = 0, scales = 0, norms = 0, sections = 0;

  void matrix(int64_t rows, int64_t cols) {
    codes += rows * cols;
    scales += rows;
    ++sections;
  }
  void norm(int64_t length) {
    norms += length;
    ++sections;
  }
  [[nodiscard]] int64_t bytes() const { return codes + (scales + norms) * scale_bytes; }
};

int64_t qkv_rows(const Shape& shape) {
  return shape.d + int64_t{2} * shape.kv_heads * shape.head_dim;
}

Tally tally_decode(const Shape& shape) {
  Tally tally;
  tally.matrix(shape.vocab, shape.d);
  for (Block block : shape.blocks) {
    tally.norm(shape.d);
    tally.norm(shape.d);
    if (block == Block::conv) {
      tally.matrix(shape.d, shape.conv_taps);
      tally.matrix(shape.d, shape.d);
    } else {
      tally.matrix(qkv_rows(shape), shape.d);
    }
    tally.matrix(shape.d, shape.d);
    tally.matrix(shape.ff, shape.d);
    tally.matrix(shape.ff, shape.d);
    tally.matrix(shape.d, shape.ff);
  }
  tally.norm(shape.d);
  return tally;
}

Tally tally_draft(const Shape& shape) {
  Tally tally;
  if (shape.draft_ff == 0) return tally;
  tally.norm(shape.d);
  tally.matrix(shape.draft_ff, shape.d);
  tally.matrix(shape.draft_ff, shape.d);
  tally.matrix(shape.d, shape.draft_ff);
  tally.norm(shape.d);
  return tally;
}

/// Convolution history, logits, one row of attention scores and the vectors a token passes through: seven of
/// width d, two of width ff, q|k|v, and one quantised query of 16-bit codes. This reproduces the published
/// 2,090,710 bytes.
int64_t state_and_scratch_bytes(const Shape& shape) {
  int64_t conv_blocks = 0;
  for (Block block : shape.blocks) conv_blocks += block == Block::conv ? 1 : 0;
  int64_t floats = conv_blocks * shape.d * (shape.conv_taps - 1);
  floats += shape.vocab + shape.context;
  floats += int64_t{7} * shape.d + int64_t{2} * shape.ff + qkv_rows(shape);
  return floats * int64_t{sizeof(float)} + shape.head_dim * int64_t{sizeof(int16_t)};
}

int64_t kv_bytes(const Shape& shape) {
  int64_t per_position = 0;
  for (Block block : shape.blocks) {
    if (block == Block::attention) per_position += shape.kv_heads * (2 * shape.head_dim + 2 * scale_bytes);
  }
  return per_position * shape.context;
}

}  // namespace

Cost cost(const Shape& shape) {
  Tally decode = tally_decode(shape), draft = tally_draft(shape);
  Cost cost;
  cost.parameters = decode.codes + decode.norms;
  cost.code_bytes_per_token = decode.codes;
  cost.weight_bytes_per_token = decode.bytes();
  cost.file_bytes = file_header_bytes + file_section_bytes * (decode.sections + draft.sections) +
                    decode.bytes() + draft.bytes();
  cost.kv_bytes = kv_bytes(shape);
  cost.working_set_bytes = cost.file_bytes + cost.kv_bytes + state_and_scratch_bytes(shape);
  cost.macs_per_token = decode.codes;
  return cost;
}

}  // namespace models
