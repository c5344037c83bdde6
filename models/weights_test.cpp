#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/splitmix64.hpp"
#include "models/weight_source.hpp"

namespace models {
namespace {

const Shape& small() {
  return find_shape("coreflow_1_9m");
}

TEST(splitmix64, gives_the_published_sequence) {
  // First outputs for seed 1234567 as Vigna's splitmix64.c prints them.
  EXPECT_EQ(splitmix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(splitmix64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(splitmix64(1234567, 2), 9817491932198370423u);
}

TEST(weights, have_the_same_bytes_on_every_compiler) {
  EXPECT_EQ(weights_digest(small(), synthetic_source(1)),
            "0155ca7d3e60fdaaa7aea8e4c84f7d3007c5782fbd57eb525fba9857c13f8210");
}

TEST(weights, another_seed_gives_another_digest) {
  EXPECT_NE(weights_digest(small(), synthetic_source(1)), weights_digest(small(), synthetic_source(2)));
}

TEST(weights, the_digest_covers_codes_scales_and_norms) {
  Weights weights = synthetic_weights(small(), 1);
  std::string digest = weights_digest(small(), source_of(weights));
  auto differs_after = [&](auto change, auto undo) {
    change();
    bool differs = weights_digest(small(), source_of(weights)) != digest;
    undo();
    return differs;
  };
  int8_t& code = weights.blocks[2].qkv.codes[7];
  float &scale = weights.blocks[5].f3.scales[0], &norm = weights.final_norm[143];
  EXPECT_TRUE(differs_after([&] { code ^= 1; }, [&] { code ^= 1; }));
  EXPECT_TRUE(differs_after([&] { scale *= 2; }, [&] { scale /= 2; }));
  EXPECT_TRUE(differs_after([&] { norm *= 2; }, [&] { norm /= 2; }));
  EXPECT_EQ(weights_digest(small(), source_of(weights)), digest);
}

TEST(weights, codes_are_centred_and_never_minus_128) {
  std::vector<int8_t> codes = synthetic_weights(small(), 1).embedding.codes;
  double sum = 0;
  for (int8_t code : codes) sum += code;
  EXPECT_NEAR(sum / static_cast<double>(codes.size()), 0, 0.25);  // five standard errors of 36.9/√589824
  EXPECT_GE(*std::min_element(codes.begin(), codes.end()), -126);
  EXPECT_LE(*std::max_element(codes.begin(), codes.end()), 126);
}

TEST(weights, rows_have_an_rms_of_one_over_the_root_of_their_length) {
  Weights weights = synthetic_weights(small(), 1);
  const Matrix* matrices[] = {&weights.embedding, &weights.blocks[0].depthwise, &weights.blocks[0].f3};
  for (const Matrix* matrix : matrices) {
    double squares = 0;
    for (int8_t code : matrix->codes) squares += std::pow(code * double{matrix->scales[0]}, 2);
    double rms = std::sqrt(squares / static_cast<double>(matrix->codes.size()));
    EXPECT_NEAR(rms * std::sqrt(matrix->cols), 1, 0.06) << matrix->rows << " x " << matrix->cols;
  }
}

TEST(weights, norms_are_spread_over_three_quarters_to_five_quarters) {
  std::vector<float> norm = synthetic_weights(small(), 1).final_norm;
  auto [lowest, highest] = std::minmax_element(norm.begin(), norm.end());
  EXPECT_GE(*lowest, 0.75f);
  EXPECT_LT(*lowest, 0.8f);
  EXPECT_LT(*highest, 1.25f);
  EXPECT_GT(*highest, 1.2f);
}

}  // namespace
}  // namespace models
