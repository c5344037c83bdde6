#include "harness/cli/plot.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace cli {
namespace {

const std::vector<int64_t> sizes{4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288};

Terminal ascii(int columns) {
  Terminal terminal;
  terminal.columns = columns;
  return terminal;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Plot, columns_stand_on_zero_so_that_half_the_value_is_half_as_high) {
  const std::vector<double> values{400, 400, 200, 200, 100, 100, 100, 1};
  const auto lines = lines_of(plot(ascii(80), sizes, values, "GB/s", Axis::from_zero, 8));
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_NE(lines[0].find("axis from 0"), std::string::npos);
  EXPECT_EQ(lines[1], "      400 |##");
  EXPECT_EQ(lines[5], "          |####");
  EXPECT_EQ(lines[7], "          |#######");
  EXPECT_EQ(lines[8], "        0 |#######");
  EXPECT_EQ(lines[9], "           4 KiB");
}

TEST(Plot, a_logarithmic_axis_says_so_and_shows_equal_factors_as_equal_distances) {
  const std::vector<double> values{1, 2, 4, 8, 16, 32, 64, 128};
  const auto lines = lines_of(plot(ascii(80), sizes, values, "ns", Axis::logarithm, 7));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_NE(lines[0].find("logarithmic axis"), std::string::npos);
  EXPECT_EQ(lines[1], "      128 |      **");
  EXPECT_EQ(lines[4], "          |   *");
  EXPECT_EQ(lines[7], "        1 |*");
}

TEST(Plot, sizes_that_do_not_fit_are_thinned_out_and_the_picture_says_how) {
  std::vector<int64_t> many;
  for (int64_t i = 1; i <= 100; ++i) many.push_back(512 * i);
  const std::string text = plot(ascii(61), many, std::vector<double>(100, 2.0), "GB/s", Axis::from_zero);
  EXPECT_NE(text.find("one of 2 sizes"), std::string::npos) << text;
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 61U) << line;
}

TEST(Plot, a_terminal_that_shows_blocks_gets_eighths) {
  Terminal terminal = ascii(80);
  terminal.utf8 = true;
  const std::vector<double> values{32, 1, 2, 12};
  const std::string text = plot(terminal, std::span(sizes).first(4), values, "GB/s", Axis::from_zero, 4);
  EXPECT_NE(text.find("│█▁▂█"), std::string::npos) << text;
  EXPECT_NE(text.find("│█  ▄"), std::string::npos) << text;
}

TEST(Plot, too_few_sizes_or_columns_give_no_picture) {
  const std::vector<double> values(8, 1.0);
  EXPECT_EQ(plot(ascii(39), sizes, values, "GB/s", Axis::from_zero), "");
  EXPECT_EQ(plot(ascii(80), std::span(sizes).first(3), std::span(values).first(3), "GB/s", Axis::from_zero),
            "");
  EXPECT_NE(plot(ascii(80), sizes, values, "GB/s", Axis::logarithm), "");
}

}  // namespace
}  // namespace cli
