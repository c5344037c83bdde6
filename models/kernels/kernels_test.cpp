// One suite for every ISA file: the same bytes as scalar, for every slot, at every awkward length.
#include "models/kernels/kernels.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "models/kernels/kernel_test.hpp"

namespace models {
namespace {

constexpr int lengths[] = {0, 1, 15, 16, 17, 31, 32, 144, 396};

using kernels = KernelTest;

INSTANTIATE_TEST_SUITE_P(isa, kernels, testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                         [](const auto& parameter) { return std::string(parameter.param->isa); });

Operand<float> run_gemv(const Kernels& table, const Operand<int8_t>& codes, int rows, int cols,
                        const Operand<int8_t>& x) {
  Operand<int8_t> packed(static_cast<int>(table.packed_bytes(rows, cols)));
  table.pack(codes.data(), rows, cols, packed.data());
  Operand<float> scales(rows), y(rows);
  for (int i = 0; i < rows; ++i) scales.data()[i] = static_cast<float>(0.001 + unit(9, i));
  table.gemv(packed.data(), scales.data(), rows, cols, x.data(), 0.37f, y.data());
  EXPECT_TRUE(y.padding_is_zero());
  return y;
}

TEST_P(kernels, gemv_equals_scalar_for_every_shape) {
  for (int rows : {1, 7, 8, 9, 17, 24, 31, 33, 72, 129, 144, 180, 796, 4096}) {
    for (int cols : {1, 3, 4, 15, 16, 17, 31, 144, 396}) {
      Operand<int8_t> codes = random_codes(rows * cols, 1), x = random_codes(cols, 2);
      EXPECT_TRUE(same_bytes(run_gemv(table(), codes, rows, cols, x), run_gemv(scalar, codes, rows, cols, x)))
          << rows << " x " << cols;
    }
  }
}

TEST_P(kernels, gemv_equals_scalar_at_the_widest_rows_that_are_read) {
  for (int cols : {512, 4096, 8192, 8193, 65'536}) {
    constexpr int rows = 19;
    Operand<int8_t> codes = random_codes(rows * cols, 1), x = random_codes(cols, 2);
    EXPECT_TRUE(same_bytes(run_gemv(table(), codes, rows, cols, x), run_gemv(scalar, codes, rows, cols, x)))
        << cols;
    for (int i = 0; i < rows * cols; ++i) codes.data()[i] = 127;
    for (int i = 0; i < cols; ++i) x.data()[i] = -127;
    EXPECT_TRUE(same_bytes(run_gemv(table(), codes, rows, cols, x), run_gemv(scalar, codes, rows, cols, x)))
        << cols;
  }
}

TEST_P(kernels, gemv_is_exact_when_every_code_is_extreme) {
  constexpr int rows = 9, cols = 396;
  for (int w_sign : {-1, 1}) {
    for (int x_sign : {-1, 1}) {
      Operand<int8_t> codes(rows * cols), x(cols);
      for (int i = 0; i < rows * cols; ++i) codes.data()[i] = static_cast<int8_t>(127 * w_sign);
      for (int i = 0; i < cols; ++i) x.data()[i] = static_cast<int8_t>(127 * x_sign);
      Operand<float> y = run_gemv(table(), codes, rows, cols, x);
      EXPECT_TRUE(same_bytes(y, run_gemv(scalar, codes, rows, cols, x)));
      auto exact = static_cast<float>(w_sign * x_sign * 127 * 127 * cols);
      EXPECT_EQ(y.data()[0], (static_cast<float>(0.001 + unit(9, 0)) * 0.37f) * exact);
    }
  }
}

Operand<float> run_gemv_float(const Kernels& table, const Operand<int8_t>& codes, int rows, int cols,
                              const Operand<float>& x) {
  const int stride = padded16(cols);
  Operand<int8_t> padded(rows * stride);
  for (int row = 0; row < rows; ++row)
    std::memcpy(padded.data() + row * stride, codes.data() + row * cols, static_cast<size_t>(cols));
  Operand<float> scales(rows), y(rows);
  for (int i = 0; i < rows; ++i) scales.data()[i] = static_cast<float>(0.001 + unit(9, i));
  table.gemv_float(padded.data(), scales.data(), rows, cols, x.data(), y.data());
  EXPECT_TRUE(y.padding_is_zero());
  return y;
}

TEST_P(kernels, gemv_float_equals_scalar_and_long_double) {
  for (int rows : {1, 3, 4, 7, 8, 9, 17, 180}) {
    for (int cols : {1, 15, 16, 17, 144, 396, 640}) {
      Operand<int8_t> codes = random_codes(rows * cols, 1);
      Operand<float> x = random_floats(cols, 2, 3), got = run_gemv_float(table(), codes, rows, cols, x);
      EXPECT_TRUE(same_bytes(got, run_gemv_float(scalar, codes, rows, cols, x))) << rows << " x " << cols;
      long double exact = 0;
      for (int i = 0; i < cols; ++i)
        exact += codes.data()[(rows - 1) * cols + i] * static_cast<long double>(x.data()[i]);
      const double scale = 0.001 + unit(9, rows - 1);
      EXPECT_NEAR(got.data()[rows - 1], scale * static_cast<double>(exact), scale * cols * 4e-4);
    }
  }
}

TEST(scalar_gemv_float, rounds_each_multiply_add_once) {
  // 3 · (1 + 2^-23) needs 25 bits: added to −3 without rounding it leaves 3 · 2^-23 exactly.
  Operand<int8_t> codes(32);
  Operand<float> x(32), scales(1), y(1);
  codes.data()[0] = -3, codes.data()[16] = 3;
  x.data()[0] = 1, x.data()[16] = 1 + 0x1p-23f;
  scales.data()[0] = 1;
  scalar::gemv_float(codes.data(), scales.data(), 1, 32, x.data(), y.data());
  EXPECT_EQ(y.data()[0], 3 * 0x1p-23f);
}

TEST_P(kernels, unpack_row_returns_what_was_packed) {
  for (int rows : {1, 7, 8, 9, 33, 72, 100, 129, 144, 300, 796}) {
    for (int cols : {1, 5, 144}) {
      Operand<int8_t> codes = random_codes(rows * cols, 3), row(cols);
      Operand<int8_t> packed(static_cast<int>(table().packed_bytes(rows, cols)));
      table().pack(codes.data(), rows, cols, packed.data());
      for (int i = 0; i < rows; ++i) {
        table().unpack_row(packed.data(), rows, cols, i, row.data());
        ASSERT_EQ(std::memcmp(row.data(), codes.data() + i * cols, row.bytes()), 0)
            << rows << " x " << cols << " " << i;
      }
    }
  }
}

TEST_P(kernels, quantise_equals_scalar_and_rounds_ties_to_even) {
  for (int n : lengths) {
    Operand<float> x = random_floats(n, 4, 3);
    Operand<int8_t> got(n), want(n);
    float scale = table().quantise(x.data(), n, got.data()),
          expected = scalar.quantise(x.data(), n, want.data());
    EXPECT_EQ(std::memcmp(&scale, &expected, sizeof scale), 0) << n;
    EXPECT_TRUE(same_bytes(got, want));
    EXPECT_TRUE(got.padding_is_zero());
  }
  Operand<float> ties(5);
  Operand<int8_t> codes(5);
  const float values[] = {127, 0.5f, 1.5f, -2.5f, -127};
  std::memcpy(ties.data(), values, sizeof values);
  EXPECT_EQ(table().quantise(ties.data(), 5, codes.data()), 1.0f);
  const int8_t expected[] = {127, 0, 2, -2, -127};
  EXPECT_EQ(std::memcmp(codes.data(), expected, sizeof expected), 0);
}

TEST_P(kernels, quantise_gives_zeros_for_a_vector_of_nothing) {
  for (float value : {0.0f, -0.0f, 1e-37f, -1e-42f}) {
    Operand<float> x(17);
    for (int i = 0; i < 17; ++i) x.data()[i] = value;
    Operand<int8_t> codes(17);
    codes.data()[3] = 5;
    EXPECT_EQ(table().quantise(x.data(), 17, codes.data()), 0.0f) << value;
    EXPECT_EQ(codes.data()[3], 0);
  }
}

TEST_P(kernels, rms_norm_equals_scalar_and_long_double) {
  for (int n : lengths) {
    if (n == 0) continue;
    Operand<float> x = random_floats(n, 5, 2), w = random_floats(n, 6, 1), got(n), want(n);
    table().rms_norm(x.data(), w.data(), n, got.data());
    scalar.rms_norm(x.data(), w.data(), n, want.data());
    EXPECT_TRUE(same_bytes(got, want));
    EXPECT_TRUE(got.padding_is_zero());
    long double squares = 0;
    for (int i = 0; i < n; ++i) squares += static_cast<long double>(x.data()[i]) * x.data()[i];
    long double exact = x.data()[n - 1] / std::sqrt(squares / n + 1e-6L) * w.data()[n - 1];
    EXPECT_NEAR(got.data()[n - 1], static_cast<double>(exact), 1e-6);
  }
}

TEST_P(kernels, conv_step_equals_scalar_and_its_definition) {
  for (int n : lengths) {
    int stride = padded16(n);
    Operand<int8_t> taps(4 * stride);
    std::vector<Operand<float>> rows;
    const float* history[4] = {};
    for (int tap = 0; tap < 4; ++tap) {
      Operand<int8_t> codes = random_codes(n, 20 + static_cast<uint64_t>(tap));
      if (n > 0) std::memcpy(taps.data() + tap * stride, codes.data(), codes.bytes());
      rows.push_back(random_floats(n, 30 + static_cast<uint64_t>(tap), 2));
      history[tap] = rows.back().data();
    }
    Operand<float> scales = random_floats(n, 7, 1), got(n), want(n);
    table().conv_step(taps.data(), stride, scales.data(), history, n, got.data());
    scalar.conv_step(taps.data(), stride, scales.data(), history, n, want.data());
    EXPECT_TRUE(same_bytes(got, want));
    EXPECT_TRUE(got.padding_is_zero());
    if (n == 0) continue;
    double sum = 0;
    for (int tap = 0; tap < 4; ++tap) sum += taps.data()[tap * stride] * double{history[tap][0]};
    EXPECT_NEAR(got.data()[0], scales.data()[0] * sum, 1e-4);
  }
}

TEST_P(kernels, silu_product_equals_scalar_even_at_the_ends_of_exp) {
  for (int n : lengths) {
    Operand<float> a = random_floats(n, 8, 120), b = random_floats(n, 9, 2), got(n), want(n);
    if (n > 8) a.data()[0] = 1e30f, a.data()[1] = -1e30f, a.data()[2] = -0.0f;
    table().silu_product(a.data(), b.data(), n, got.data());
    scalar.silu_product(a.data(), b.data(), n, want.data());
    EXPECT_TRUE(same_bytes(got, want));
    EXPECT_TRUE(got.padding_is_zero());
  }
}

TEST_P(kernels, softcap_equals_scalar_and_tanh) {
  for (float span : {0.1f, 10.0f, 200.0f, 1e6f}) {
    Operand<float> got = random_floats(396, 10, span), want = random_floats(396, 10, span),
                   x = random_floats(396, 10, span);
    table().softcap(got.data(), 396, 30);
    scalar.softcap(want.data(), 396, 30);
    EXPECT_TRUE(same_bytes(got, want));
    EXPECT_TRUE(got.padding_is_zero());
    for (int i = 0; i < 396; ++i)
      ASSERT_NEAR(got.data()[i], 30 * std::tanh(x.data()[i] / 30.0), 1.2e-5) << span;
  }
}

TEST(scalar_exp, is_accurate_to_two_units_in_the_last_place) {
  double worst = 0;
  for (int i = 0; i <= 1'000'000; ++i) {
    auto x = static_cast<float>(-87.0 + 175.0 * i / 1e6);
    long double exact = std::exp(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::fabs(scalar::exp_f32(x) / exact - 1)));
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(scalar::exp_f32(0), 1.0f);
  EXPECT_EQ(scalar::exp_f32(-87.1f), 0.0f);
  EXPECT_EQ(scalar::exp_f32(-HUGE_VALF), 0.0f);
  EXPECT_EQ(scalar::exp_f32(1000), scalar::exp_f32(88));
}

TEST(scalar_rms_norm, sums_in_sixteen_lanes_folded_by_halves) {
  // 1 in lane 0 and 2^-24 in lanes 1 and 8 and 9: in index order each tiny square would be lost against 1.
  Operand<float> x(16), w(16), y(16);
  x.data()[0] = 1;
  for (int i : {1, 8, 9}) x.data()[i] = 0x1p-12f;
  for (int i = 0; i < 16; ++i) w.data()[i] = 1;
  scalar::rms_norm(x.data(), w.data(), 16, y.data());
  // Fold 8: lane 0 = 1 + 2^-24 = 1 (tie to even), lane 1 = 2^-23. Fold 1: 1 + 2^-23.
  float mean = (1.0f + 0x1p-23f) / 16 + 1e-6f;
  EXPECT_EQ(y.data()[0], 1.0f / std::sqrt(mean));
}

}  // namespace
}  // namespace models
