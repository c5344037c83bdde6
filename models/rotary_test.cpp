#include "models/rotary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace models {
namespace {

class rotary : public testing::TestWithParam<int> {};

TEST_P(rotary, table_equals_long_double_libm_to_f32) {
  int head_dim = GetParam(), positions = 1024;
  RotaryTable table = make_rotary_table(positions, head_dim);
  ASSERT_EQ(table.cos.size(), static_cast<size_t>(positions * head_dim / 2));
  double worst = 0;
  for (int position = 0; position < positions; ++position) {
    for (int i = 0; i < head_dim / 2; ++i) {
      long double angle = position * std::pow(10000.0L, -2.0L * i / head_dim);
      auto at = static_cast<size_t>(position) * static_cast<size_t>(head_dim / 2) + static_cast<size_t>(i);
      worst = std::max(worst, static_cast<double>(std::fabs(std::cos(angle) - table.cos[at])));
      worst = std::max(worst, static_cast<double>(std::fabs(std::sin(angle) - table.sin[at])));
    }
  }
  EXPECT_LT(worst, 3.1e-8);  // half a unit in the last place below 1 is 2.98e-8
}

INSTANTIATE_TEST_SUITE_P(head_widths, rotary, testing::Values(2, 18, 64, 256));

TEST(rotary_frequency, is_accurate_in_double_precision) {
  for (int i = 0; i < 32; ++i) {
    long double exact = std::pow(10000.0L, -2.0L * i / 64);
    EXPECT_NEAR(rotary_frequency(i, 64) / static_cast<double>(exact), 1, 1e-14) << i;
  }
}

TEST(rotate, turns_each_pair_by_its_angle_and_keeps_its_length) {
  RotaryTable table = make_rotary_table(8, 4);
  float u[4] = {3, 1, 4, 2};
  rotate(table, 5, u);
  EXPECT_NEAR(u[0], 3 * std::cos(5.0) - 4 * std::sin(5.0), 1e-6);
  EXPECT_NEAR(u[2], 4 * std::cos(5.0) + 3 * std::sin(5.0), 1e-6);
  EXPECT_NEAR(u[1], 1 * std::cos(0.05) - 2 * std::sin(0.05), 1e-6);
  EXPECT_NEAR(u[3], 2 * std::cos(0.05) + 1 * std::sin(0.05), 1e-6);
}

}  // namespace
}  // namespace models
