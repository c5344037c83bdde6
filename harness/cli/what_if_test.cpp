#include "harness/cli/what_if.hpp"

#include <gtest/gtest.h>

#include "harness/cli/parse.hpp"
#include "harness/error.hpp"

namespace cli {
namespace {

/// Returns the message of the usage error that this throws.
std::string refused(const std::string& text) {
  try {
    parse_what_if(text);
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::usage) << text;
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return "";
}

TEST(what_if, nothing_given_changes_nothing) {
  EXPECT_TRUE(parse_what_if("").empty());
}

TEST(what_if, takes_sizes_rates_and_a_clock) {
  const analysis::WhatIf what_if = parse_what_if("l3=96MiB,dram=60GB/s,l3=45.5GB/s,clock=4.2GHz");
  ASSERT_EQ(what_if.levels.size(), 2u);
  EXPECT_EQ(what_if.levels[0].first, "l3");
  EXPECT_EQ(what_if.levels[0].second.bytes, int64_t{96} << 20);
  EXPECT_EQ(what_if.levels[0].second.read_bytes_per_s, 45.5e9);
  EXPECT_EQ(what_if.levels[1].second.read_bytes_per_s, 60e9);
  EXPECT_FALSE(what_if.levels[1].second.bytes);
  EXPECT_EQ(what_if.clock_hz, 4.2e9);
}

TEST(what_if, says_which_fact_is_wrong_and_what_it_takes) {
  EXPECT_NE(refused("l4=3MiB").find("there is no fact 'l4'; give l1, l2 or l3"), std::string::npos);
  EXPECT_NE(refused("l3").find("'l3': want FACT=VALUE"), std::string::npos);
  EXPECT_NE(refused("l3=").find("'l3=': want FACT=VALUE"), std::string::npos);
  EXPECT_NE(refused(",").find("want FACT=VALUE"), std::string::npos);
  EXPECT_NE(refused("l3=96").find("--what-if l3 '96': want a size with its unit"), std::string::npos);
  EXPECT_NE(refused("l3=96Mib").find("want a size"), std::string::npos);
  EXPECT_NE(refused("dram=60GB").find("--what-if dram '60GB': want a rate"), std::string::npos);
  EXPECT_NE(refused("dram=-1GB/s").find("want a rate"), std::string::npos);
  EXPECT_NE(refused("dram=nanGB/s").find("want a rate"), std::string::npos);
  EXPECT_NE(refused("clock=4").find("want a frequency"), std::string::npos);
}

TEST(parse, sizes_to_the_byte_know_thousands_from_1024s) {
  EXPECT_EQ(parse_bytes("19.8MB", "--bytes"), 19'800'000);
  EXPECT_EQ(parse_bytes("1kB", "--bytes"), 1000);
  EXPECT_EQ(parse_bytes("1KiB", "--bytes"), 1024);
  EXPECT_EQ(parse_bytes("7 B", "--bytes"), 7);
  for (const char* wrong : {"", "12", "1KB", "1kib", "1Mb", "0MB", "-1MB", "infMB", "1MB/s", "1e30GB"}) {
    EXPECT_THROW(parse_bytes(wrong, "--bytes"), harness::Error) << wrong;
  }
}

TEST(parse, rates_and_frequencies_need_their_units) {
  EXPECT_EQ(parse_rate("1.5GiB/s", "x"), 1.5 * 1073741824);
  EXPECT_EQ(parse_rate("500MB/s", "x"), 5e8);
  EXPECT_EQ(parse_frequency("800MHz", "x"), 8e8);
  for (const char* wrong : {"", "60", "60GB", "60/s", "60Gb/s"})
    EXPECT_THROW(parse_rate(wrong, "x"), harness::Error);
  for (const char* wrong : {"", "4", "4Ghz", "4THz", "1MHz"})
    EXPECT_THROW(parse_frequency(wrong, "x"), harness::Error) << wrong;
}

}  // namespace
}  // namespace cli
