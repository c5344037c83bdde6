#include "harness/import_tables.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace harness {
namespace {

std::string message(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(import_tables, csv_keeps_commas_and_doubled_quotes_inside_quotes) {
  std::vector<std::string> cells;
  EXPECT_TRUE(split_csv(R"("a, ""b""",c,,"")", cells));
  EXPECT_EQ(cells, (std::vector<std::string>{R"(a, "b")", "c", "", ""}));
  EXPECT_FALSE(split_csv(R"("a)", cells));
}

TEST(import_tables, csv_ends_at_the_first_line_that_is_no_row) {
  size_t end = 0;
  const std::string text = "a,b\n1,2\na,b\n3,4\nThanks\n5,6\n";
  const auto records = csv_table(text, 0, "f", end);
  ASSERT_EQ(records.size(), 2U);  // the repeated header is none
  EXPECT_EQ(records[1]["b"], "4");
  EXPECT_EQ(records[1].line, 4);
  EXPECT_EQ(text.substr(end), "Thanks\n5,6\n");
}

TEST(import_tables, a_csv_row_that_was_cut_is_refused) {
  size_t end = 0;
  EXPECT_EQ(message([&] { csv_table("a,b,c\n\"1\",\"2\"\n", 0, "f", end); }),
            "f: line 2, byte 7: 2 cells under 3 names: the line was cut or joined; save the CSV again");
  EXPECT_NE(message([&] { csv_table("a,b\n\"1\",\"2", 0, "f", end); }), "");
}

TEST(import_tables, sql_reads_names_and_several_rows_of_quoted_values) {
  size_t end = 0;
  const std::string text = "insert into test (a, \"b\")\n VALUES ('it''s', NULL),\n ('x', 2); rest";
  const auto records = sql_insert(text, 0, "f", end);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0]["a"], "it's");
  EXPECT_EQ(records[1]["b"], "2");
  EXPECT_EQ(text.substr(end), " rest");
}

TEST(import_tables, sql_that_was_cut_or_does_not_match_is_refused) {
  size_t end = 0;
  for (const char* bad :
       {"INSERT INTO t (a) VALUES ('x", "INSERT INTO t (a", "INSERT INTO t (a) VALUES ('x', 'y');",
        "INSERT INTO t (a) SELECT 1", "INSERT INTO", "INSERT INTO t (a) VALUES (,)"})
    EXPECT_TRUE(message([&] { sql_insert(bad, 0, "f", end); }).starts_with("f: line 1, byte ")) << bad;
}

TEST(import_tables, markdown_is_read_also_where_it_is_quoted) {
  size_t end = 0;
  const std::string text = "> | a | b |\n> |:--|--:|\n> | 1 | 2 |\n>\n> | 3 | 4 |\n";
  const auto records = pasted_table(text, 0, "f", end);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0]["b"], "2");
  EXPECT_EQ(records[0].line, 3);
  EXPECT_TRUE(text.substr(end).starts_with(">\n"));
}

TEST(import_tables, a_markdown_row_that_was_wrapped_is_refused_and_the_next_table_is_not) {
  size_t end = 0;
  EXPECT_EQ(
      message([&] { pasted_table("| a | b | t/s |\n|-|-|-|\n| 1 | 2\n| 3 |\n", 0, "f", end); }),
      "f: line 3, byte 25: 2 cells under 3 names: the line was cut or wrapped; paste the table again as it "
      "was printed");
  const auto records = pasted_table("| a | t/s |\n| 1 | 2 |\n| a | b | t/s |\n", 0, "f", end);
  EXPECT_EQ(records.size(), 1U);
}

TEST(import_tables, semicolons_and_tabs_part_cells_where_there_are_more_of_them_than_commas) {
  EXPECT_EQ(csv_separator("a;\"b\";c"), ';');
  EXPECT_EQ(csv_separator("a\tb"), '\t');
  EXPECT_EQ(csv_separator("a,\"b;\",c"), ',');
}

TEST(import_tables, bars_may_stand_between_cells_alone) {
  size_t end = 0;
  const std::string text = "a | `b`\n--|--:\n1 | **2**\n3 | 4 |\nThat is all.\n";
  const auto records = pasted_table(text, 0, "f", end);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0]["b"], "2");
  EXPECT_EQ(records[1]["b"], "4");
  EXPECT_EQ(text.substr(end), "That is all.\n");
}

TEST(import_tables, a_line_with_a_bar_does_not_belong_to_a_table_with_bars_around) {
  size_t end = 0;
  const std::string text = "| a | b |\n| 1 | 2 |\n$ x | tee y\n";
  EXPECT_EQ(pasted_table(text, 0, "f", end).size(), 1U);
  EXPECT_EQ(text.substr(end), "$ x | tee y\n");
}

TEST(import_tables, a_browser_copies_a_table_with_tabs) {
  size_t end = 0;
  const auto records = pasted_table("a\tb\tc\n1\t2 x\t\n\n4\t5\t6\n", 0, "f", end);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0]["b"], "2 x");
  EXPECT_EQ(records[0]["c"], "");
}

}  // namespace
}  // namespace harness
