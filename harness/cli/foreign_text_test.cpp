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

TEST(foreign_text, shows_what_nobody_would_see) {
  EXPECT_EQ(one_line("a\u202eb\u200bc\u2066d\ufeffe\u00adf"), "a?b?c?d?e?f");
  EXPECT_EQ(one_line("Zoë 中文 \U0001F600"), "Zoë 中文 \U0001F600");
  EXPECT_EQ(one_line("\xe2\x80"), "\xe2\x80") << "no whole character";
}

TEST(foreign_text, is_nothing_but_words_to_markdown) {
  EXPECT_EQ(markdown_safe("AMD [click](https://evil.example)"), "AMD (click)(https:?evil.example)");
  EXPECT_EQ(markdown_safe("![p](x) **b** `c` <i> |d| @e #1 ~f~ a\\b &amp; WwW.x"),
            "!(p)(x) ??b?? ?c? ?i? ?d? ?e ?1 ?f? a?b ?amp; WwW?x");
  EXPECT_EQ(markdown_safe("coreflow_1_9m _x_ Intel(R) Core(TM) i7-9750H"),
            "coreflow_1_9m ?x? Intel(R) Core(TM) i7-9750H");
}

}  // namespace
}  // namespace cli
