#include "models/fidelity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/cpu_features.hpp"
#include "models/kernels/select.hpp"

namespace models {
namespace {

const Shape& small() {
  return find_shape("coreflow_1_9m");
}

FidelityResult measure(const Kernels& table, int tokens) {
  Weights weights = synthetic_weights(small(), 1);
  Decoder decoder(small(), weights, table);
  return measure_fidelity(decoder, small(), weights, 1, tokens);
}

TEST(fidelity, the_decoder_passes_every_gate_over_a_full_context) {
  FidelityResult result = measure(select_kernels(kernel_tables(), harness::read_cpu_features(), ""), 1024);
  EXPECT_EQ(result.tokens, 1024);
  EXPECT_EQ(result.clear_matches, result.clear_tokens);
  EXPECT_LE(result.rms_difference_sigmas, max_rms_difference_sigmas);
  EXPECT_LE(result.perplexity_delta_ratio, max_perplexity_delta_ratio);
  EXPECT_TRUE(passes(result));
  // Reported figures, as far as they tell a faithful decoder on random weights from a broken one.
  EXPECT_GT(result.greedy_match_ratio, 0.9);
  EXPECT_LT(result.unrounded_match_ratio, result.greedy_match_ratio);
  EXPECT_GT(result.unrounded_rms_difference_sigmas, result.rms_difference_sigmas);
}

TEST(fidelity, float_arithmetic_passes_every_gate_and_is_nearer_to_no_rounding) {
  Weights weights = synthetic_weights(small(), 1);
  Decoder decoder(small(), weights, select_kernels(kernel_tables(), harness::read_cpu_features(), ""),
                  Arithmetic::float32);
  FidelityResult result = measure_fidelity(decoder, small(), weights, 1, 1024, Arithmetic::float32);
  EXPECT_TRUE(passes(result));
  FidelityResult as_int8 = measure_fidelity(decoder, small(), weights, 1, 64);
  EXPECT_GT(as_int8.rms_difference_sigmas, result.rms_difference_sigmas) << "the reference did not change";
  EXPECT_LT(result.unrounded_rms_difference_sigmas,
            measure(select_kernels(kernel_tables(), harness::read_cpu_features(), ""), 256)
                .unrounded_rms_difference_sigmas);
}

TEST(fidelity, a_context_is_never_exceeded) {
  Shape shape = small();
  shape.context = 16;
  Weights weights = synthetic_weights(shape, 1);
  Decoder decoder(shape, weights, Kernels{});
  EXPECT_EQ(measure_fidelity(decoder, shape, weights, 1, 40).tokens, 40);
}

// Kernels with one fault each. Sixty-four tokens are enough to see it, so only the gates themselves are
// asserted.

float quantise_towards_zero(const float* x, int n, int8_t* codes) {
  float scale = scalar::quantise(x, n, codes);
  for (int i = 0; i < n && scale > 0; ++i) codes[i] = static_cast<int8_t>(x[i] / scale);
  return scale;
}

void norm_without_weight(const float* x, const float* /*w*/, int n, float* y) {
  std::vector<float> ones(static_cast<size_t>(n), 1);
  scalar::rms_norm(x, ones.data(), n, y);
}

void scores_without_scale(const AttentionGroup* group) {
  AttentionGroup wrong = *group;
  wrong.inverse_sqrt_head_dim = 1;
  scalar::attention_scores(&wrong);
}

void oldest_tap_last(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
                     float* c) {
  const float* reversed[] = {history[3], history[2], history[1], history[0]};
  scalar::conv_step(taps, stride, scales, reversed, n, c);
}

TEST(fidelity, decoders_with_one_fault_each_miss_the_gates) {
  Kernels faulty[4];
  faulty[0].quantise = quantise_towards_zero;
  faulty[1].rms_norm = norm_without_weight;
  faulty[2].attention_scores = scores_without_scale;
  faulty[3].conv_step = oldest_tap_last;
  for (const Kernels& table : faulty) {
    FidelityResult result = measure(table, 64);
    EXPECT_GT(result.rms_difference_sigmas, max_rms_difference_sigmas) << "fault " << &table - faulty;
  }
  EXPECT_LE(measure(Kernels{}, 64).rms_difference_sigmas, max_rms_difference_sigmas);
}

TEST(fidelity, each_gate_alone_fails_a_result) {
  FidelityResult good{.tokens = 1000,
                      .clear_tokens = 700,
                      .clear_matches = 700,
                      .rms_difference_sigmas = 0.05,
                      .perplexity_delta_ratio = 0.01};
  EXPECT_TRUE(passes(good));
  auto spoiled = [&](auto spoil) {
    FidelityResult result = good;
    spoil(result);
    return passes(result);
  };
  EXPECT_FALSE(spoiled([](FidelityResult& r) { r.tokens = 999; }));
  EXPECT_FALSE(spoiled([](FidelityResult& r) { r.clear_matches = 699; }));
  EXPECT_FALSE(spoiled([](FidelityResult& r) { r.clear_tokens = r.clear_matches = 0; }));
  EXPECT_FALSE(spoiled([](FidelityResult& r) { r.rms_difference_sigmas = 0.0501; }));
  EXPECT_FALSE(
      spoiled([](FidelityResult& r) { r.rms_difference_sigmas = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_FALSE(spoiled([](FidelityResult& r) { r.perplexity_delta_ratio = 0.0101; }));
}

}  // namespace
}  // namespace models
