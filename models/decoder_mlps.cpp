// The decoder's GEMVs, MLPs and experts.
#include <algorithm>

#include "models/decoder_state.hpp"
#include "models/experts.hpp"

namespace models {

GemvInput Decoder::State::round_for(const PackedMatrix& matrix, const float* values, int8_t* codes) const {
  if (matrix.arithmetic == Arithmetic::float32) return {values, codes, 0};
  const float scale = kernels.quantise(values, matrix.cols, codes);
  // Vectors of several widths are rounded into the same memory; kernels read it padded with zeros.
  std::fill(codes + matrix.cols, codes + padded16(matrix.cols), int8_t{0});
  return {values, codes, scale};
}

void Decoder::State::multiply(const PackedMatrix& matrix, const GemvInput& input, float* out) const {
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

void Decoder::State::gemv(const PackedMatrix& matrix, const float* input, float* out) const {
  multiply(matrix, round_for(matrix, input, x_codes.data()), out);
}

const float* Decoder::State::inner_normed(const float* values, int n, const Padded<float>& normed) const {
  if (!shape.inner_norms) return values;
  kernels.rms_norm(values, ones.data(), n, normed.data());
  return normed.data();
}

/// out = f3( silu(f1·h) ⊙ (f2·h) ).
void Decoder::State::run_mlp(const PackedMlp& mlp, const GemvInput& input, float* out) {
  float *f1 = f12.data(), *f2 = f1 + padded16(shape.ff);
  multiply(mlp.f1, input, f1);
  if (mlp.f2.rows > 0) multiply(mlp.f2, input, f2);
  lap(Op::gemv);
  kernels.silu_product(f1, f2, shape.ff, f1);
  const float* inner = inner_normed(f1, shape.ff, normed_f);
  lap(Op::rest);
  gemv(mlp.f3, inner, out);
  lap(Op::gemv);
}

void Decoder::State::run_mlps(size_t at) {
  const PackedBlock& block = weights.blocks[at];
  kernels.rms_norm(x.data(), block.norm2, shape.d, h.data());
  lap(Op::rest);
  const GemvInput input = round_for(block.mlps.front().f1, h.data(), h_codes.data());
  if (shape.experts.count > 0) {
    run_experts(at, input);
  } else {
    run_mlp(block.mlps.front(), input, y.data());
  }
  add_to_x(y.data());
}

void Decoder::State::choose_experts(size_t block, const GemvInput& input) {
  const Experts& experts = shape.experts;
  const std::span<uint16_t> choice(chosen.data() + block * static_cast<size_t>(experts.top_k),
                                   static_cast<size_t>(experts.top_k));
  multiply(weights.blocks[block].router, input, expert_shares.data());
  lap(Op::gemv);
  kernels.softmax(expert_shares.data(), ones.data(), experts.count);
  if (trace == nullptr) {
    choose_highest(expert_shares.data(), experts.count, choice);
  } else {
    const std::span<const uint16_t> given = trace->at(position, static_cast<int>(block));
    std::copy(given.begin(), given.end(), choice.begin());
  }
  renormalise(expert_shares.data(), choice, gates.data());
}

/// y = Σ gate · expert, the chosen in ascending order and then the shared ones, whose gate is 1.
void Decoder::State::run_experts(size_t at, const GemvInput& input) {
  choose_experts(at, input);
  const std::vector<PackedMlp>& mlps = weights.blocks[at].mlps;
  const int routed = shape.experts.top_k, all = routed + shape.experts.shared;
  y.clear();
  for (int i = 0; i < all; ++i) {
    const int expert = i < routed ? chosen[at * static_cast<size_t>(routed) + static_cast<size_t>(i)]
                                  : shape.experts.count + (i - routed);
    lap(Op::rest);
    run_mlp(mlps[static_cast<size_t>(expert)], input, mixed.data());
    add_scaled(mixed.data(), i < routed ? gates.data()[i] : 1.0f, shape.d, y.data());
  }
}

}  // namespace models
