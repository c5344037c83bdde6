#include "harness/import_decimals.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(import_decimals, a_number_ends_where_its_thousands_and_decimals_do) {
  for (const auto& [text, number] :
       std::vector<std::pair<const char*, const char*>>{{"12.50 t/s", "12.50"},
                                                        {"1 217.13 x", "1 217.13"},
                                                        {"1'217,13", "1'217,13"},
                                                        {"12.50 128", "12.50"},
                                                        {"8 12.50", "8"},
                                                        {"12 5000", "12"},
                                                        {"1.25e1x", "1.25e1"},
                                                        {"3 each", "3"},
                                                        {"3e", "3"},
                                                        {"12,", "12"},
                                                        {"x1", ""},
                                                        {",5", ""},
                                                        {"", ""}}) {
    EXPECT_EQ(number_at(text), number) << text;
  }
}

TEST(import_decimals, most_numbers_tell_their_own_decimal_mark) {
  for (const char* text : {"41.26", "1,217.13", "1,217,000", "0.125", "1234.567", "1'217.13"})
    EXPECT_EQ(decimals_of(text), Decimals::point) << text;
  for (const char* text : {"41,26", "1.217,13", "1.217.000", "0,125", "1234,567", "1 217,13"})
    EXPECT_EQ(decimals_of(text), Decimals::comma) << text;
  for (const char* text : {"12,500", "12.500", "12", "1 217", "22.11.2025", "1,21,5"})
    EXPECT_EQ(decimals_of(text), Decimals::unknown) << text;
}

TEST(import_decimals, the_others_are_told_by_their_table_or_not_at_all) {
  EXPECT_EQ(plain_number("12,500", Decimals::comma), "12.500");
  EXPECT_EQ(plain_number("12,500", Decimals::point), "12500");
  EXPECT_EQ(plain_number("12.500", Decimals::comma), "12500");
  EXPECT_EQ(plain_number("12.500", Decimals::unknown), "12.500") << "as programs print it";
  EXPECT_EQ(plain_number("12,500", Decimals::unknown), "12,500?");
  EXPECT_EQ(plain_number("12.500", Decimals::both), "12.500?");
  EXPECT_EQ(plain_number("41,26", Decimals::point), "41.26") << "it tells itself";
  EXPECT_EQ(plain_number("1,21,5.5", Decimals::point), "1,21,5.5?") << "no thousands";
  EXPECT_EQ(plain_number("1 217", Decimals::both), "1217");
}

TEST(import_decimals, cells_are_written_anew_together) {
  std::string a = "12,345 ± 0,021", b = "1.217 (+5 %)", c = "OOM";
  make_plain({&a, &b, &c});
  EXPECT_EQ(a, "12.345 ± 0.021");
  EXPECT_EQ(b, "1217 (+5 %)");
  EXPECT_EQ(c, "OOM");
  std::string lone = "12,500", point = "12.500";
  make_plain({&lone, &point}, /*lone_comma_is_decimal=*/true);
  EXPECT_EQ(lone + " " + point, "12.500 12.500");
}

}  // namespace
}  // namespace harness
