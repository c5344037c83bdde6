#include "models/weight_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "harness/error.hpp"
#include "models/half.hpp"

namespace models {
namespace {

/// Few rows of each format, all of one seed.
Tensor tensor_of(Format format, int rows = 600, int cols = 512) {
  return {.kind = TensorKind::f1, .block = 0, .rows = rows, .cols = cols, .format = format, .id = 7};
}

std::map<int, double> frequencies(const Matrix& matrix) {
  std::map<int, double> ratios;
  for (const int8_t code : matrix.codes) ratios[code] += 1 / static_cast<double>(matrix.codes.size());
  return ratios;
}

TEST(synthetic_source, ternary_codes_are_a_quarter_a_half_a_quarter) {
  const std::map<int, double> ratios = frequencies(synthetic_source(1).matrix(tensor_of(Format::ternary)));
  ASSERT_EQ(ratios.size(), 3u);
  // Five standard errors of 307,200 draws.
  EXPECT_NEAR(ratios.at(-1), 0.25, 0.004);
  EXPECT_NEAR(ratios.at(0), 0.5, 0.0045);
  EXPECT_NEAR(ratios.at(1), 0.25, 0.004);
}

TEST(synthetic_source, group_codes_are_uniform_around_zero) {
  for (const auto& [format, most] : {std::pair{Format::group3, 3}, std::pair{Format::group4, 7}}) {
    const std::map<int, double> ratios = frequencies(synthetic_source(1).matrix(tensor_of(format)));
    EXPECT_EQ(ratios.begin()->first, -most);
    EXPECT_EQ(ratios.rbegin()->first, most);
    for (const auto& [code, ratio] : ratios) EXPECT_NEAR(ratio, 1.0 / (2 * most + 1), 0.0035) << code;
  }
}

TEST(synthetic_source, scales_give_rows_an_rms_of_one_over_the_root_of_their_length) {
  for (const Format format : {Format::ternary, Format::group3, Format::group4}) {
    const Matrix matrix = synthetic_source(1).matrix(tensor_of(format));
    const float scale = format == Format::ternary ? matrix.scales[0] : float_from_half(matrix.half_scales[0]);
    double squares = 0;
    for (const int8_t code : matrix.codes) squares += std::pow(code * double{scale}, 2);
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(matrix.codes.size()) * 512), 1, 0.01);
    for (const uint16_t other : matrix.half_scales) ASSERT_EQ(other, matrix.half_scales[0]);
  }
}

TEST(synthetic_source, yields_any_tensor_in_any_order_the_same) {
  const WeightSource source = synthetic_source(3);
  const Matrix first = source.matrix(tensor_of(Format::ternary));
  Tensor other = tensor_of(Format::ternary);
  other.id = 8;
  EXPECT_NE(source.matrix(other).codes, first.codes);
  EXPECT_EQ(source.matrix(tensor_of(Format::ternary)).codes, first.codes);
}

TEST(collect, holds_what_the_source_yields) {
  const Shape& shape = find_shape("moe_ternary_8m");
  const Weights weights = synthetic_weights(shape, 1);
  EXPECT_EQ(weights_digest(shape, source_of(weights)), weights_digest(shape, synthetic_source(1)));
}

TEST(source_of, refuses_a_tensor_that_the_weights_lack) {
  const Weights weights = synthetic_weights(find_shape("coreflow_1_9m"), 1);
  const WeightSource source = source_of(weights);
  const TensorTable table(find_shape("moe_ternary_8m"));
  EXPECT_THROW(source.matrix(table.at(TensorKind::f1, 0, 0)), harness::Error);
  const TensorTable longer(find_shape("coreflow_12_6m"));
  EXPECT_THROW(source.norm(longer.at(TensorKind::norm1, 11)), harness::Error);
}

TEST(weights_digest, of_each_quantised_model_is_the_same_on_every_compiler) {
  struct Golden {
    const char *model, *digest;
  };
  constexpr Golden goldens[] = {
      {"moe_ternary_8m", "ffba043bf9de4fee2cc1718c3daf45537da94ad4da401a2768bb4d6f219b293e"},
      {"moe_ternary_105m", "3334461f226d51fdadeac899e1e5afd1af0659250a3e4f515986a9acf652e417"},
      {"moe_ternary_402m", "c16ad76e2387883d0e53845115ba83f7efaf35252cced2929882311f7044726e"},
      {"dense_44m_q3", "27f187ad33d2fb374d1df166c9124f8ce53afd10137c230e0c77480c56064c35"},
  };
  for (const Golden& golden : goldens)
    EXPECT_EQ(weights_digest(find_shape(golden.model), synthetic_source(1)), golden.digest) << golden.model;
}

}  // namespace
}  // namespace models
