#include "harness/cli/foreign_text.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(foreign_text, is_one_line_that_drives_no_terminal) {
  EXPECT_EQ(one_line("a\nb\tc\r\x1b[2J\x7f"), "a?b?c??[2J?");
  EXPECT_EQ(one_line("x\xc2\x9b"
                     "2J"),
            "x?2J")
      << "C1: some terminals obey it";
  EXPECT_EQ(one_line("«µs» – 3 °C"), "«µs» – 3 °C");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace cli
