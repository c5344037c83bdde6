#include "harness/cli/terminal.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(terminal, numbers_are_written_with_their_units) {
  EXPECT_EQ(format_bytes(48 * 1024), "48 KiB");
  EXPECT_EQ(format_bytes(1933600), "1.84 MiB");
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_rate(28.34e9), "28.3 GB/s");
  EXPECT_EQ(format_rate(243e9), "243 GB/s");
  EXPECT_EQ(format_count(12345), "12,345");
  EXPECT_EQ(format_count(123), "123");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
  EXPECT_EQ(format_seconds(185), "3 min 05 s");
}

TEST(terminal, a_table_aligns_numbers_right_and_ignores_colour_codes) {
  Terminal coloured;
  coloured.colour_out = true;
  Table table{{"mode", "tok/s"}, {{"warm", "12,345"}, {paint(coloured, Colour::red, "flush"), "9"}}};
  EXPECT_EQ(to_text(Terminal{}, table), "mode    tok/s\nwarm   12,345\n\x1b[31mflush\x1b[0m       9\n");
}

TEST(terminal, nothing_is_coloured_without_a_terminal) {
  EXPECT_EQ(paint(Terminal{}, Colour::red, "x"), "x");
}

TEST(terminal, marks_and_bars_fall_back_to_ascii) {
  EXPECT_EQ(mark_good(Terminal{}), "ok");
  EXPECT_EQ(bar(Terminal{}, 0.5, 4), "##..");
  Terminal utf8;
  utf8.utf8 = true;
  EXPECT_EQ(display_width(bar(utf8, 0.5, 4)), 4u);
}

}  // namespace
}  // namespace cli
