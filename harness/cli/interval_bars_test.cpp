#include "harness/cli/interval_bars.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cli {
namespace {

using harness::Interval;

Terminal utf8() {
  Terminal terminal;
  terminal.utf8 = true;
  return terminal;
}

TEST(interval_bars, stand_on_one_axis_on_which_equal_steps_are_equal_factors) {
  const auto bars = interval_bars(utf8(), {Interval{10, 1, 100}, Interval{100, 10, 10000}}, 13);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_EQ(bars[0], "├──●──┤");
  EXPECT_EQ(bars[1], "   ├──●─────┤");
}

TEST(interval_bars, are_ascii_where_the_locale_wants_it) {
  EXPECT_EQ(interval_bars({}, {Interval{10, 1, 100}}, 13).at(0), "|-----o-----|");
}

TEST(interval_bars, leave_out_what_cannot_be_drawn) {
  const auto bars = interval_bars(
      {}, {std::nullopt, Interval{0, 0, 0}, Interval{2, 1, INFINITY}, Interval{10, 1, 100}}, 13);
  EXPECT_EQ(bars, (std::vector<std::string>{"", "", "", "|-----o-----|"}));
  EXPECT_EQ(interval_bars({}, {std::nullopt}, 40), std::vector<std::string>{""});
  EXPECT_EQ(interval_bars({}, {Interval{10, 1, 100}}, 11), std::vector<std::string>{""}) << "too narrow";
  EXPECT_EQ(interval_bars({}, {Interval{10, 1, 100}}, -5), std::vector<std::string>{""});
}

TEST(interval_bars, of_no_width_are_a_point) {
  EXPECT_EQ(interval_bars({}, {Interval{5, 5, 5}}, 20).at(0), "o");
}

}  // namespace
}  // namespace cli
