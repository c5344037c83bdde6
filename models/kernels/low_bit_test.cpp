// Weights of few bits: every ISA file gives the bytes of scalar, scalar what is right, at awkward shapes.
#include <cmath>
#include <cstring>
#include <vector>

#include "models/kernels/kernel_test.hpp"

namespace models {
namespace {

constexpr int row_counts[] = {1, 15, 16, 17, 31, 80, 128, 129, 512};
constexpr int ternary_cols[] = {1, 4, 15, 16, 17, 31, 80, 128, 256, 512};
constexpr int group_cols[] = {32, 64, 96, 512, 1536};
constexpr int group_size = 32;
constexpr float x_scale = 0.37f;

using low_bit_kernels = KernelTest;

INSTANTIATE_TEST_SUITE_P(isa, low_bit_kernels,
                         testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                         [](const auto& parameter) { return std::string(parameter.param->isa); });

/// Integers in [lowest, lowest + count).
Operand<int8_t> random_values(int n, uint64_t seed, int lowest, int count) {
  Operand<int8_t> values(n);
  for (int i = 0; i < n; ++i) {
    const auto drawn = static_cast<int>(splitmix64(seed, i) % static_cast<uint64_t>(count));
    values.data()[i] = static_cast<int8_t>(drawn + lowest);
  }
  return values;
}

Operand<int8_t> filled(int n, int value) {
  Operand<int8_t> values(n);
  for (int i = 0; i < n; ++i) values.data()[i] = static_cast<int8_t>(value);
  return values;
}

Operand<int8_t> one_hot(int n, int at) {
  Operand<int8_t> x(n);
  x.data()[at] = 1;
  return x;
}

/// Operands whose length must be a size in bytes.
Operand<uint8_t> bytes_for(size_t bytes) {
  return Operand<uint8_t>(static_cast<int>(bytes));
}

/// Σ value · x of n columns.
int64_t dot(const int8_t* values, const int8_t* x, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += int64_t{values[i]} * x[i];
  return sum;
}

struct Ternary {
  int rows, cols;
  Operand<int8_t> codes;
  float gamma = 0.0213f;

  [[nodiscard]] Operand<float> times(const Kernels& table, const Operand<int8_t>& x, float scale) const {
    Operand<uint8_t> packed = bytes_for(table.ternary_packed_bytes(rows, cols));
    table.ternary_pack(codes.data(), rows, cols, packed.data());
    Operand<float> y(rows);
    table.ternary_gemv(packed.data(), gamma, rows, cols, x.data(), scale, y.data());
    EXPECT_TRUE(y.padding_is_zero()) << rows << " x " << cols;
    return y;
  }
};

struct Grouped {
  int bits, rows, cols;
  Operand<int8_t> values;
  Operand<uint16_t> scales;

  [[nodiscard]] size_t packed_bytes(const Kernels& table) const {
    return bits == 3 ? table.group3_packed_bytes(rows, cols) : table.group4_packed_bytes(rows, cols);
  }
  [[nodiscard]] Operand<uint8_t> packed(const Kernels& table) const {
    Operand<uint8_t> bytes = bytes_for(packed_bytes(table));
    auto* pack = bits == 3 ? table.group3_pack : table.group4_pack;
    pack(values.data(), scales.data(), rows, cols, bytes.data());
    return bytes;
  }
  [[nodiscard]] Operand<float> times(const Kernels& table, const Operand<int8_t>& x, float scale) const {
    Operand<float> y(rows);
    auto* gemv = bits == 3 ? table.group3_gemv : table.group4_gemv;
    gemv(packed(table).data(), rows, cols, x.data(), scale, y.data());
    EXPECT_TRUE(y.padding_is_zero()) << rows << " x " << cols;
    return y;
  }
};

/// fp16 of either sign from 2^-14 up to below 2.
Operand<uint16_t> random_halves(int n, uint64_t seed) {
  Operand<uint16_t> halves(n);
  for (int i = 0; i < n; ++i)
    halves.data()[i] =
        static_cast<uint16_t>((splitmix64(seed, i) % 0x3C00 + 0x400) | (i % 5 == 0 ? 0x8000 : 0));
  return halves;
}

Grouped random_grouped(int bits, int rows, int cols) {
  const int levels = 1 << bits;
  return {bits, rows, cols, random_values(rows * cols, 3, -levels / 2, levels),
          random_halves(rows * cols / group_size, 5)};
}

/// What a finite fp16 means, from its definition.
double half_value(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST_P(low_bit_kernels, ternary_gemv_equals_scalar_and_its_definition_for_every_shape) {
  for (int rows : row_counts) {
    for (int cols : ternary_cols) {
      const Ternary w{rows, cols, random_values(rows * cols, 1, -1, 3)};
      const Operand<int8_t> x = random_codes(cols, 2);
      const Operand<float> y = w.times(table(), x, x_scale);
      EXPECT_TRUE(same_bytes(y, w.times(scalar, x, x_scale))) << rows << " x " << cols;
      for (int row = 0; row < rows; ++row) {
        const auto sum = static_cast<float>(dot(w.codes.data() + row * cols, x.data(), cols));
        ASSERT_EQ(y.data()[row], (sum * w.gamma) * x_scale) << rows << " x " << cols << " row " << row;
      }
    }
  }
}

TEST_P(low_bit_kernels, ternary_gemv_is_exact_when_every_code_is_extreme) {
  constexpr int rows = 81, cols = 4096 + 16;  // beyond every run of 16-bit sums
  for (int code : {-1, 0, 1}) {
    for (int sign : {-1, 1}) {
      const Ternary w{rows, cols, filled(rows * cols, code), 1};
      const Operand<float> y = w.times(table(), filled(cols, 127 * sign), 1);
      for (int row = 0; row < rows; ++row)
        ASSERT_EQ(y.data()[row], static_cast<float>(code * sign * 127 * cols));
    }
  }
}

TEST_P(low_bit_kernels, ternary_gemv_of_one_hot_vectors_returns_what_was_packed) {
  for (int rows : {1, 17, 80, 129}) {
    constexpr int cols = 37;
    const Ternary w{rows, cols, random_values(rows * cols, 7, -1, 3), 1};
    for (int col = 0; col < cols; ++col) {
      const Operand<float> y = w.times(table(), one_hot(cols, col), 1);
      for (int row = 0; row < rows; ++row)
        ASSERT_EQ(y.data()[row], w.codes.data()[row * cols + col]) << rows << ": " << row << ", " << col;
    }
  }
}

TEST_P(low_bit_kernels, group_gemv_equals_scalar_and_double_for_every_shape) {
  for (int bits : {3, 4}) {
    for (int rows : row_counts) {
      for (int cols : group_cols) {
        const Grouped w = random_grouped(bits, rows, cols);
        const Operand<int8_t> x = random_codes(cols, 2);
        const Operand<float> y = w.times(table(), x, x_scale);
        EXPECT_TRUE(same_bytes(y, w.times(scalar, x, x_scale))) << bits << ": " << rows << " x " << cols;
        for (int row = 0; row < rows; ++row) {
          double sum = 0, magnitudes = 0;
          for (int group = 0; group < cols / group_size; ++group) {
            const int at = row * cols + group * group_size;
            const double part =
                half_value(w.scales.data()[at / group_size]) *
                static_cast<double>(dot(w.values.data() + at, x.data() + group * group_size, group_size));
            sum += part, magnitudes += std::fabs(part);
          }
          const int roundings = 2 + cols / group_size;
          ASSERT_NEAR(y.data()[row], sum * x_scale, magnitudes * 0x1p-24 * roundings)
              << bits << ": " << rows << " x " << cols << " row " << row;
        }
      }
    }
  }
}

TEST_P(low_bit_kernels, group_gemv_is_exact_when_every_code_is_extreme) {
  constexpr int rows = 33, cols = 96;
  for (int bits : {3, 4}) {
    const int half = 1 << (bits - 1);
    for (int value : {-half, 0, half - 1}) {
      for (int sign : {-1, 1}) {
        Grouped w = random_grouped(bits, rows, cols);
        w.values = filled(rows * cols, value);
        for (int i = 0; i < rows * cols / group_size; ++i) w.scales.data()[i] = 0x3800;  // ½
        const Operand<float> y = w.times(table(), filled(cols, 127 * sign), 1);
        for (int row = 0; row < rows; ++row)
          ASSERT_EQ(y.data()[row], 0.5f * static_cast<float>(value * sign * 127 * cols))
              << bits << " " << value;
      }
    }
  }
}

TEST_P(low_bit_kernels, group_gemv_of_one_hot_vectors_returns_what_was_packed) {
  for (int bits : {3, 4}) {
    for (int rows : {1, 17, 80, 129}) {
      constexpr int cols = 64;
      const Grouped w = random_grouped(bits, rows, cols);
      for (int col = 0; col < cols; ++col) {
        const Operand<float> y = w.times(table(), one_hot(cols, col), 1);
        for (int row = 0; row < rows; ++row) {
          const int at = row * cols + col;
          ASSERT_EQ(y.data()[row], w.values.data()[at] * half_value(w.scales.data()[at / group_size]))
              << bits << ", " << rows << ": " << row << ", " << col;
        }
      }
    }
  }
}

TEST_P(low_bit_kernels, group_gemv_takes_subnormal_and_zero_scales) {
  constexpr int rows = 16, cols = 32;
  const uint16_t halves[rows] = {0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x01FF, 0x0200, 0x03FF,
                                 0x83FF, 0x0400, 0x3C00, 0x7BFF, 0xFBFF, 0x3555, 0x0155, 0x8155};
  for (int bits : {3, 4}) {
    Grouped w = random_grouped(bits, rows, cols);
    std::memcpy(w.scales.data(), halves, sizeof halves);
    const Operand<float> y = w.times(table(), one_hot(cols, 9), 1);
    for (int row = 0; row < rows; ++row)
      ASSERT_EQ(y.data()[row], w.values.data()[row * cols + 9] * half_value(halves[row])) << row;
  }
}

TEST_P(low_bit_kernels, group_gemv_adds_groups_in_ascending_order_and_rounds_products_first) {
  constexpr int rows = 2, cols = 96;
  const uint16_t two_to_14 = 0x7400, one = 0x3C00, odd = 0x3FFF;  // odd: 2047/1024
  Operand<int8_t> x = filled(cols, 127);
  for (int i = 8; i < cols; i += group_size) std::memset(x.data() + i, 1, 8);
  for (int bits : {3, 4}) {
    Grouped w{bits, rows, cols, Operand<int8_t>(rows * cols), Operand<uint16_t>(rows * cols / group_size)};
    const uint16_t scales[] = {two_to_14, one, two_to_14, odd, odd, one};
    std::memcpy(w.scales.data(), scales, sizeof scales);
    // Row 0: 2^24 + 1 − 2^24; in ascending order the 1 is lost. 8 · 127 + 8 · 1 = 2^10.
    int8_t* row = w.values.data();
    for (int i = 0; i < 16; ++i) row[i] = 1, row[2 * group_size + i] = -1;
    row[group_size + 8] = 1;
    // Row 1: p − p, where p = 9041 · 2047/1024 takes 25 bits; unrounded the second p leaves something.
    row += cols;
    for (int i = 0; i < group_size; ++i) row[i] = i == 0 ? 2 : 3;
    for (int i = 0; i < group_size; ++i) row[group_size + i] = i == 0 ? -2 : -3;
    ASSERT_EQ(dot(row, x.data(), group_size), 9041);
    const Operand<float> y = w.times(table(), x, 1);
    EXPECT_EQ(y.data()[0], 0.0f) << bits;
    EXPECT_EQ(y.data()[1], 0.0f) << bits;
  }
}

TEST_P(low_bit_kernels, group4_unpack_row_returns_values_times_scales) {
  for (int rows : {1, 16, 33, 129}) {
    for (int cols : {32, 96, 512}) {
      const Grouped w = random_grouped(4, rows, cols);
      const Operand<uint8_t> packed = w.packed(table());
      for (int row = 0; row < rows; ++row) {
        Operand<float> values(cols);
        table().group4_unpack_row(packed.data(), rows, cols, row, values.data());
        for (int col = 0; col < cols; ++col) {
          const int at = row * cols + col;
          ASSERT_EQ(values.data()[col], w.values.data()[at] * half_value(w.scales.data()[at / group_size]))
              << rows << " x " << cols << ": " << row << ", " << col;
        }
      }
    }
  }
}

TEST_P(low_bit_kernels, packed_sizes_are_the_bits_of_the_codes_and_the_scales) {
  EXPECT_EQ(table().ternary_packed_bytes(128, 512), 16384u);
  EXPECT_EQ(table().ternary_packed_bytes(512, 128), 16384u);
  EXPECT_EQ(table().ternary_packed_bytes(80, 256), 5120u);
  EXPECT_EQ(table().ternary_packed_bytes(1, 1), 64u);
  EXPECT_EQ(table().ternary_packed_bytes(17, 17), 256u);
  EXPECT_EQ(table().group3_packed_bytes(16, 32), 224u);
  EXPECT_EQ(table().group3_packed_bytes(512, 1536), 512u * 1536 / 512 * 224);
  EXPECT_EQ(table().group3_packed_bytes(17, 32), 448u);
  EXPECT_EQ(table().group4_packed_bytes(16, 32), 288u);
  EXPECT_EQ(table().group4_packed_bytes(9216, 512), 9216u * 512 / 512 * 288);
}

TEST(float_of_half, is_exact_for_every_finite_half) {
  for (int half = 0; half < 1 << 16; ++half) {
    if ((half >> 10 & 31) == 31) continue;
    const float got = scalar::float_of_half(static_cast<uint16_t>(half));
    ASSERT_EQ(got, half_value(static_cast<uint16_t>(half))) << half;
    ASSERT_EQ(std::signbit(got), half >= 0x8000) << half;
  }
}

}  // namespace
}  // namespace models
