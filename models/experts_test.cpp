#include "models/experts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "models/splitmix64.hpp"

namespace models {
namespace {

std::vector<uint16_t> chosen(const std::vector<float>& shares, size_t k) {
  std::vector<uint16_t> choice(k);
  choose_highest(shares.data(), static_cast<int>(shares.size()), choice);
  return choice;
}

using Choice = std::vector<uint16_t>;

TEST(choose_highest, takes_the_highest_in_ascending_order_of_index) {
  EXPECT_EQ(chosen({0.1f, 0.5f, 0.2f, 0.9f, 0.3f}, 3), (Choice{1, 3, 4}));
  EXPECT_EQ(chosen({4, 3, 2, 1}, 2), (Choice{0, 1}));
  EXPECT_EQ(chosen({1, 2, 3, 4}, 2), (Choice{2, 3}));
  EXPECT_EQ(chosen({1, 2, 3}, 3), (Choice{0, 1, 2}));
}

TEST(choose_highest, ties_go_to_the_lowest_index) {
  EXPECT_EQ(chosen({1, 1, 1, 1}, 2), (Choice{0, 1}));
  EXPECT_EQ(chosen({1, 2, 3, 2, 2}, 2), (Choice{1, 2}));
  EXPECT_EQ(chosen({0, 2, 2, 3, 2}, 3), (Choice{1, 2, 3}));
}

TEST(choose_highest, agrees_with_a_stable_sort) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<float> shares(1 + splitmix64(seed, 0) % 90);
    for (size_t i = 0; i < shares.size(); ++i) shares[i] = static_cast<float>(splitmix64(seed, i + 1) % 20);
    std::vector<uint16_t> order(shares.size());
    std::iota(order.begin(), order.end(), uint16_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return shares[a] > shares[b]; });
    order.resize(1 + splitmix64(seed, 99) % shares.size());
    std::sort(order.begin(), order.end());
    ASSERT_EQ(chosen(shares, order.size()), order) << "seed " << seed;
  }
}

TEST(renormalise, gates_are_shares_of_the_chosen) {
  const std::vector<float> shares = {0.5f, 0.125f, 0.25f, 0.125f};
  float gates[2];
  renormalise(shares.data(), Choice{1, 2}, gates);
  EXPECT_EQ(gates[0], 0.125f / 0.375f);
  EXPECT_EQ(gates[1], 0.25f / 0.375f);
}

TEST(renormalise, sums_in_sixteen_lanes) {
  // (1 + 2^-24) + (−1 …) would differ: lanes 0 and 2, 1 and 3 are added first.
  const std::vector<float> shares = {1, 0x1p-24f, 0x1p-24f, 0x1p-24f};
  float gates[4];
  renormalise(shares.data(), Choice{0, 1, 2, 3}, gates);
  const float sum = (1 + 0x1p-24f) + (0x1p-24f + 0x1p-24f);
  EXPECT_EQ(gates[1], 0x1p-24f / sum);
  EXPECT_NE(sum, ((1 + 0x1p-24f) + 0x1p-24f) + 0x1p-24f);
}

TEST(renormalise, shares_that_vanish_give_equal_gates) {
  const std::vector<float> shares = {1, 0, 0};
  float gates[2];
  renormalise(shares.data(), Choice{1, 2}, gates);
  EXPECT_EQ(gates[0], 0.5f);
  EXPECT_EQ(gates[1], 0.5f);
}

TEST(add_scaled, rounds_the_product_before_it_is_added) {
  const float y = 1 + 0x1p-23f, gate = 1 - 0x1p-23f;  // the exact product is 1 − 2^-46
  float sum = -1;
  add_scaled(&y, gate, 1, &sum);
  EXPECT_EQ(sum, 0);
}

}  // namespace
}  // namespace models
