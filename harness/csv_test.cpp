#include "harness/csv.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace harness {
namespace {

std::string of(const SqlValue& value) {
  std::string record = csv_record(std::vector<SqlValue>{value});
  EXPECT_TRUE(record.ends_with("\r\n")) << record;
  record.resize(record.size() - 2);
  return record;
}

TEST(csv, plain_texts_and_numbers_stand_as_they_are) {
  EXPECT_EQ(csv_record(std::vector<std::string>{"a", "b c", ""}), "a,b c,\r\n");
  EXPECT_EQ(csv_record(std::vector<SqlValue>{int64_t{-3}, 0.1, std::monostate{}, std::string("x")}),
            "-3,0.1,,x\r\n");
}

TEST(csv, commas_quotes_and_line_ends_are_quoted) {
  EXPECT_EQ(of(std::string("a,b")), "\"a,b\"");
  EXPECT_EQ(of(std::string("say \"x\"")), "\"say \"\"x\"\"\"");
  EXPECT_EQ(of(std::string("two\nlines")), "\"two\nlines\"");
  EXPECT_EQ(of(std::string("two\r\nlines")), "\"two\r\nlines\"");
}

TEST(csv, texts_that_a_spreadsheet_would_run_are_told_to_be_texts) {
  EXPECT_EQ(of(std::string("=HYPERLINK(\"x\",\"y\")")), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  for (const char* text : {"+1", "-1", "@SUM(A1)", "\tx"})
    EXPECT_EQ(of(std::string(text)), std::string("'") + text);
  EXPECT_EQ(of(std::string("\rx")), "\"'\rx\"");
  EXPECT_EQ(of(std::string("a=b")), "a=b") << "only at the beginning";
  EXPECT_EQ(of(-1.5), "-1.5") << "a number is no text";
}

TEST(csv, numbers_beyond_json_have_a_name) {
  EXPECT_EQ(of(std::numeric_limits<double>::infinity()), "Inf");
  EXPECT_EQ(of(-std::numeric_limits<double>::infinity()), "-Inf");
}

}  // namespace
}  // namespace harness
