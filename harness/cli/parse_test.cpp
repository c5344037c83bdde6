#include "harness/cli/parse.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace cli {
namespace {

TEST(parse, sizes_tell_binary_from_decimal_units) {
  EXPECT_EQ(parse_size("16KiB"), 16384);
  EXPECT_EQ(parse_size("1.5 MiB"), 1572864);
  EXPECT_EQ(parse_size("1MB"), 999936);  // 1,000,000 rounded down to a multiple of 512
  EXPECT_EQ(parse_size("1kB"), 512);
  EXPECT_EQ(parse_size("4096"), 4096);
}

TEST(parse, sizes_that_are_none_are_refused) {
  for (const char* text :
       {"0", "", "KiB", "16kib", "16 apples", "-1KiB", "511", "nan", "inf", "1e99GiB", "16KiB16"}) {
    EXPECT_THROW(parse_size(text), harness::Error) << text;
  }
}

TEST(parse, positions_are_inclusive_and_ordered) {
  EXPECT_EQ(parse_positions("65:1023"), std::make_pair(65, 1023));
  EXPECT_EQ(parse_positions("7:7"), std::make_pair(7, 7));
  for (const char* text : {"9:2", "5", ":5", "5:", "-1:5", "1:2:3", "a:b", ""}) {
    EXPECT_THROW(parse_positions(text), harness::Error) << text;
  }
}

TEST(parse, times_have_a_unit) {
  EXPECT_EQ(parse_duration_ns("10s"), 10'000'000'000);
  EXPECT_EQ(parse_duration_ns("100ms"), 100'000'000);
  EXPECT_EQ(parse_duration_ns("1.5min"), 90'000'000'000);
  for (const char* text : {"", "10", "s", "10 s", "-1s", "99ms", "0s", "2000min", "nans", "1h", "10s "}) {
    EXPECT_THROW(parse_duration_ns(text), harness::Error) << text;
  }
}

TEST(parse, reads_shares_with_their_sign_only) {
  EXPECT_DOUBLE_EQ(parse_percent("3%", "--margin"), 0.03);
  EXPECT_DOUBLE_EQ(parse_percent("0.5 %", "--margin"), 0.005);
  for (const char* bad : {"3", "0.03", "0%", "-1%", "50%", "nan%", "inf%", "", "%", "3%%", "3 percent"})
    EXPECT_THROW(parse_percent(bad, "--margin"), harness::Error) << bad;
}

}  // namespace
}  // namespace cli
