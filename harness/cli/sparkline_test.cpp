#include "harness/cli/sparkline.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cli {
namespace {

std::string drawn(const std::vector<double>& values, int width, bool utf8 = true) {
  Terminal terminal;
  terminal.utf8 = utf8;
  return sparkline(terminal, values, width);
}

TEST(sparkline, goes_from_the_lowest_to_the_highest) {
  EXPECT_EQ(drawn({1, 2, 3, 4, 5, 6, 7, 8}, 20), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(drawn({1, 2, 3, 4, 5, 6, 7, 8}, 20, false), "_.-~=+*#");
}

TEST(sparkline, takes_the_median_of_what_shares_a_column) {
  EXPECT_EQ(drawn({9, 9, 1, 9, 1, 1}, 2), "█▁");
}

TEST(sparkline, is_flat_for_one_value_and_empty_for_none) {
  EXPECT_EQ(drawn({3, 3, 3}, 5), "▅▅▅");
  EXPECT_EQ(drawn({}, 5), "");
}

}  // namespace
}  // namespace cli
