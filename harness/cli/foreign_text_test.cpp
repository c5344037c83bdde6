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
  EXPECT_EQ(one_line("\xc2"), "\xc2");
}

TEST(foreign_text, hides_nothing_and_turns_nothing_around) {
  EXPECT_EQ(one_line("a\u202egnp.exe"), "a?gnp.exe");
  EXPECT_EQ(one_line("a\u2066b\u2069c\u200bd\u061ce\ufefff\u2028g"), "a?b?c?d?e?f?g");
  EXPECT_EQ(one_line("a\u2013b\u2265c\u0301"), "a\u2013b\u2265c\u0301") << "dashes, signs, accents";
}

}  // namespace
}  // namespace cli
