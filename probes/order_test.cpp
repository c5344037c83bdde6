#include "probes/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace probes {
namespace {

TEST(Order, every_position_occurs_once) {
  for (size_t n : {0U, 1U, 2U, 31U}) {
    auto positions = shuffled_positions(n, 4);
    std::sort(positions.begin(), positions.end());
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(positions[i], i);
    EXPECT_EQ(positions.size(), n);
  }
}

TEST(Order, all_orders_occur) {
  std::set<std::vector<size_t>> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) seen.insert(shuffled_positions(3, seed));
  EXPECT_EQ(seen.size(), 6U);
}

TEST(Order, the_recordable_seed_gives_the_order_of_the_whole_one) {
  const uint64_t seed = 0xFEDCBA9876543210ULL;
  EXPECT_EQ(recordable_seed(seed), 0x1CBA9876543210ULL);
  EXPECT_EQ(shuffled_positions(20, seed), shuffled_positions(20, recordable_seed(seed)));
}

}  // namespace
}  // namespace probes
