// The decoder's GEMVs, MLPs and experts.
#include <algorithm>

#include "models/decoder_state.hpp"
#include "models/experts.hpp"
#include "models/padded.hpp"

namespace models {

GemvInput DecoderMember::round_for(const PackedMatrix& matrix, const float* values, int8_t* codes) const {
  if (matrix.arithmetic == Arithmetic::float32) return {values, codes, 0};
  const float scale = kernels.quantise(values, matrix.cols, codes);
  // Vectors of several widths are rounded into the same memory; kernels read it padded with zeros.
  std::fill(codes + matrix.cols, codes + padded16(matrix.cols), int8_t{0});
  return {values, codes, scale};
}

void DecoderMember::multiply(const PackedMatrix& matrix, const GemvInput& input, float* out) const {
  const int rows = matrix.rows, cols = matrix.cols;
  if (matrix.arithmetic == Arithmetic::float32) {
    kernels.gemv_float(matrix.codes, matrix.scales, rows, cols, input.values, out);
    return;
  }
  switch (matrix.format) {
    case Format::int8:
      kernels.gemv(matrix.codes, matrix.scales, rows, cols, input.codes, input.scale, out);
      break;
    case Format::ternary:
      kernels.ternary_gemv(matrix.low_bits, *matrix.scales, rows, cols, input.codes, input.scale, out);
      break;
    case Format::group3:
      kernels.group3_gemv(matrix.low_bits, rows, cols, input.codes, input.scale, out);
      break;
    case Format::group4:
      kernels.group4_gemv(matrix.low_bits, rows, cols, input.codes, input.scale, out);
      break;
  }
}

void DecoderMember::gemv(const PackedMatrix& matrix, const float* input, float* out) const {
  multiply(matrix, round_for(matrix, input, x_codes), out + matrix.first_row);
}

const float* DecoderMember::inner_normed(const float* values, int n, float* normed) const {
  if (!shape.inner_norms) return values;
  kernels.rms_norm(values, ones, n, normed);
  return normed;
}

void DecoderMember::run_hidden(const PackedMlp& mlp, const GemvInput& input, float* out, Op op) {
  float *f1 = f12, *f2 = f1 + padded16(mlp.hidden_rows);
  multiply(mlp.f1, input, f1);
  if (mlp.f2.rows > 0) multiply(mlp.f2, input, f2);
  lap(op);
  kernels.silu_product(f1, f2, mlp.hidden_rows, out);
  lap(Op::rest);
}

void DecoderMember::run_f3(const PackedMlp& mlp, const float* hidden, float* out, Op op) {
  const float* inner = inner_normed(hidden, shape.ff, normed_hidden);
  lap(Op::rest);
  gemv(mlp.f3, inner, out);
  lap(op);
}

void DecoderMember::run_mlps(size_t at) {
  const PackedBlock& block = weights.blocks[at];
  kernels.rms_norm(x, block.norm2, shape.d, h);
  lap(Op::rest);
  const GemvInput input = round_for(block.mlps.front().f1, h, h_codes);
  if (shape.experts.count > 0) return run_experts(at, input);
  const PackedMlp& mlp = block.mlps.front();
  run_hidden(mlp, input, shared.hidden + mlp.f1.first_row, Op::gemv);
  sync();
  run_f3(mlp, shared.hidden, shared.y, Op::gemv);
  sync();
  add_to_x(shared.y);
}

void DecoderMember::choose_experts(size_t block) {
  const Experts& experts = shape.experts;
  const std::span<uint16_t> choice(chosen.data() + block * static_cast<size_t>(experts.top_k),
                                   static_cast<size_t>(experts.top_k));
  std::copy_n(shared.router, padded16(experts.count), expert_shares);
  kernels.softmax(expert_shares, ones, experts.count);
  if (shared.trace == nullptr) {
    choose_highest(expert_shares, experts.count, choice);
  } else {
    const std::span<const uint16_t> given = shared.trace->at(shared.position, static_cast<int>(block));
    std::copy(given.begin(), given.end(), choice.begin());
  }
  renormalise(expert_shares, choice, gates);
}

/// x += Σ gate · expert, the chosen in ascending order and then the shared ones, whose gate is 1. Members
/// take turns at the chosen ones and spread the rows of the shared ones, so that neither waits for a barrier
/// more.
void DecoderMember::run_experts(size_t at, const GemvInput& input) {
  const PackedBlock& block = weights.blocks[at];
  const Experts& experts = shape.experts;
  const int routed = experts.top_k, hidden_stride = padded16(shape.ff), out_stride = padded16(shape.d);
  const PackedMlp* shared_mlps = block.mlps.data() + experts.count;
  multiply(block.router, input, shared.router + block.router.first_row);
  lap(Op::router);
  for (int i = 0; i < experts.shared; ++i) {
    float* hidden = shared.hidden + i * hidden_stride + shared_mlps[i].f1.first_row;
    run_hidden(shared_mlps[i], input, hidden, Op::experts);
  }
  sync();
  choose_experts(at);
  const uint16_t* choice = chosen.data() + at * static_cast<size_t>(routed);
  for (int i = index; i < routed; i += members) {
    const PackedMlp& mlp = block.mlps[choice[i]];
    lap(Op::rest);
    run_hidden(mlp, input, own_hidden, Op::experts);
    run_f3(mlp, own_hidden, shared.expert_out + i * out_stride, Op::experts);
  }
  for (int i = 0; i < experts.shared; ++i) {
    run_f3(shared_mlps[i], shared.hidden + i * hidden_stride, shared.expert_out + (routed + i) * out_stride,
           Op::experts);
  }
  sync();
  std::fill_n(own_mixed, out_stride, 0.0f);
  for (int i = 0; i < routed + experts.shared; ++i)
    add_scaled(shared.expert_out + i * out_stride, i < routed ? gates[i] : 1.0f, shape.d, own_mixed);
  add_to_x(own_mixed);
}

}  // namespace models
