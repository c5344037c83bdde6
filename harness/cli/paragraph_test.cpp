#include "harness/cli/paragraph.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace cli {
namespace {

Terminal of(int columns) {
  Terminal terminal;
  terminal.columns = columns;
  return terminal;
}

TEST(paragraph, stands_behind_its_label_and_keeps_within_the_terminal) {
  EXPECT_EQ(paragraph(of(40), "served by", "l2 30 %, l3 70 % and a little more of dram"),
            "served by     l2 30 %, l3 70 % and a\n"
            "              little more of dram\n");
  std::istringstream lines(paragraph(of(40), "facts", std::string(50, 'x') + " and on and on and on"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("xxx") == std::string::npos) {
      EXPECT_LE(display_width(line), 40u) << line;
    }
  }
}

TEST(paragraph, counts_characters_and_not_bytes) {
  EXPECT_EQ(paragraph(of(34), "a", "×÷×÷×÷×÷×÷ ×÷×÷×÷×÷"), "a             ×÷×÷×÷×÷×÷ ×÷×÷×÷×÷\n");
}

TEST(paragraph, survives_terminals_that_are_too_narrow_and_texts_that_are_empty) {
  EXPECT_EQ(paragraph(of(0), "a", "b c"), "a             b c\n");
  EXPECT_EQ(paragraph(of(-3), "a", "b"), "a             b\n");
  EXPECT_EQ(paragraph(of(80), "", "b"), "              b\n");
  EXPECT_EQ(paragraph(of(80), "a", ""), "a             \n");
  EXPECT_EQ(paragraph(of(80), "a label that is long", "b"), "a label that is long b\n");
}

}  // namespace
}  // namespace cli
