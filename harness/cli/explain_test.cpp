#include "harness/cli/explain.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

constexpr std::string_view page = "# Title\n\nIntro.\n\n## one\n\nFirst.\n\n## two\nSecond.\nMore.\n";

TEST(explain, codes_are_the_second_level_headings) {
  EXPECT_EQ(codes_of(page), (std::vector<std::string>{"one", "two"}));
}

TEST(explain, a_section_ends_where_the_next_begins) {
  EXPECT_EQ(section_of(page, "one"), "First.\n");
  EXPECT_EQ(section_of(page, "TWO"), "Second.\nMore.\n");
  EXPECT_EQ(section_of(page, "three"), "");
  EXPECT_EQ(section_of(page, "on"), "");
}

TEST(explain, every_page_has_codes) {
  for (const char* name : {"doctor", "flags", "plausibility"})
    EXPECT_GE(codes_of(find_page(name)).size(), 5u) << name;
}

}  // namespace
}  // namespace cli
