#include "models/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace models {
namespace {

TEST(half, every_half_survives_the_way_to_float_and_back) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float value = float_from_half(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE((half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0) << half;
    } else {
      EXPECT_EQ(half_from_float(value), half);
    }
  }
}

TEST(half, values_are_those_of_the_standard) {
  EXPECT_EQ(float_from_half(0x3C00), 1.0f);
  EXPECT_EQ(float_from_half(0xC000), -2.0f);
  EXPECT_EQ(float_from_half(0x7BFF), 65504.0f);
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24f);
  EXPECT_EQ(float_from_half(0x0400), 0x1p-14f);
  EXPECT_EQ(half_from_float(0.0f), 0);
  EXPECT_EQ(half_from_float(-0.0f), 0x8000);
}

// Between two neighbouring halves: the middle goes to the even one, its neighbours in f32 to the nearer one.
TEST(half, rounds_to_the_nearest_ties_to_even) {
  for (uint32_t half = 0; half < 0x7BFF; ++half) {
    const float low = float_from_half(static_cast<uint16_t>(half)),
                high = float_from_half(static_cast<uint16_t>(half + 1)), middle = (low + high) / 2;
    ASSERT_EQ(half_from_float(middle), half + half % 2) << half;
    ASSERT_EQ(half_from_float(std::nextafter(middle, 0.0f)), half);
    ASSERT_EQ(half_from_float(std::nextafter(middle, high)), half + 1);
  }
}

TEST(half, what_is_too_large_or_too_small) {
  EXPECT_EQ(half_from_float(65519.996f), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0f), 0x7C00);
  EXPECT_EQ(half_from_float(1e30f), 0x7C00);
  EXPECT_EQ(half_from_float(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(half_from_float(0x1p-25f), 0);
  EXPECT_EQ(half_from_float(0x1.000002p-25f), 1);
  EXPECT_EQ(half_from_float(1e-30f), 0);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace models
