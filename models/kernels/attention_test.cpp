// The attention slots of every ISA file: the same bytes as scalar, for every number of heads and positions.
#include <cstring>

#include "models/kernels/kernel_test.hpp"

namespace models {
namespace {

using attention_kernels = KernelTest;

INSTANTIATE_TEST_SUITE_P(isa, attention_kernels,
                         testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                         [](const auto& parameter) { return std::string(parameter.param->isa); });

TEST_P(attention_kernels, softmax_equals_scalar_and_clears_the_padding) {
  for (int n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 144, 1023, 1024}) {
    for (double span : {0.5, 20.0, 300.0}) {
      Operand<float> got = random_floats(n, 11, span), want = random_floats(n, 11, span),
                     v = random_floats(n, 12, 1);
      for (int i = n; i < padded16(n); ++i) got.data()[i] = want.data()[i] = 1e9f, v.data()[i] = 3;
      table().softmax(got.data(), v.data(), n);
      scalar.softmax(want.data(), v.data(), n);
      EXPECT_TRUE(same_bytes(got, want)) << n;
      EXPECT_TRUE(got.padding_is_zero());
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += got.data()[i] / double{v.data()[i]};
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

/// K, V and q of `heads` heads at `positions`, with junk in the last tile beyond the positions.
struct Attention {
  Attention(int heads, int head_dim, int positions)
      : stride(padded16(positions)),
        keys(random_codes(stride * head_dim, 13)),
        values(random_codes(stride * head_dim, 14)),
        key_scales(random_floats(stride, 15, 0.1)),
        value_scales(random_floats(stride, 16, 0.1)),
        q(random_codes(heads * padded16(head_dim), 17)),
        q_scales(random_floats(heads, 18, 0.1)),
        weights(heads * stride),
        out(heads * head_dim) {
    group = {
        keys.data(), key_scales.data(), values.data(),      value_scales.data(), q.data(), q_scales.data(),
        heads,       head_dim,          padded16(head_dim), positions,           0.25f,    weights.data(),
        stride,      out.data()};
  }
  int stride;
  Operand<int8_t> keys, values;
  Operand<float> key_scales, value_scales;
  Operand<int8_t> q;
  Operand<float> q_scales, weights, out;
  AttentionGroup group{};
};

TEST_P(attention_kernels, attention_equals_scalar_for_every_number_of_heads_and_positions) {
  for (int heads : {1, 3, 4, 5, 8}) {
    for (int head_dim : {2, 18, 64, 256}) {
      for (int positions : {1, 15, 16, 17, 31, 33, 144, 1023}) {
        Attention got(heads, head_dim, positions), want(heads, head_dim, positions);
        table().attention_scores(&got.group);
        scalar.attention_scores(&want.group);
        for (int h = 0; h < heads; ++h) {
          float *row = got.weights.data() + h * got.stride, *expected = want.weights.data() + h * got.stride;
          ASSERT_EQ(std::memcmp(row, expected, static_cast<size_t>(positions) * sizeof(float)), 0)
              << heads << " heads of " << head_dim << " at " << positions;
          scalar.softmax(row, got.value_scales.data(), positions);
          scalar.softmax(expected, got.value_scales.data(), positions);
        }
        table().attention_values(&got.group);
        scalar.attention_values(&want.group);
        ASSERT_TRUE(same_bytes(got.out, want.out))
            << heads << " heads of " << head_dim << " at " << positions;
      }
    }
  }
}

}  // namespace
}  // namespace models
