#include "harness/nearest_name.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace harness {
namespace {

constexpr std::array<std::string_view, 4> names{"load_latency", "load_bandwidth", "dram_stream", "avx2"};

TEST(nearest_name, finds_a_name_with_one_letter_wrong_missing_or_added) {
  EXPECT_EQ(nearest_name("load_latancy", names), "load_latency");
  EXPECT_EQ(nearest_name("dram_strem", names), "dram_stream");
  EXPECT_EQ(nearest_name("dram_streamm", names), "dram_stream");
}

TEST(nearest_name, counts_a_swap_of_neighbours_as_one_edit) {
  // Two substitutions would be half of a word of four letters, and so not near.
  EXPECT_EQ(nearest_name("avx2", std::array<std::string_view, 1>{"vax2"}), "vax2");
  EXPECT_EQ(nearest_name("avx2", std::array<std::string_view, 1>{"aby2"}), "");
}

TEST(nearest_name, ignores_letter_case) {
  EXPECT_EQ(nearest_name("DRAM_STREAM", names), "dram_stream");
}

TEST(nearest_name, returns_nothing_when_every_name_is_far) {
  EXPECT_EQ(nearest_name("zebra", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("avx2", std::span<const std::string_view>{}), "");
}

TEST(nearest_name, returns_nothing_for_a_word_too_long_to_compare) {
  std::string longest(100, 'a'), too_long(101, 'a');
  EXPECT_EQ(nearest_name(longest, std::array<std::string_view, 1>{longest}), longest);
  EXPECT_EQ(nearest_name(too_long, std::array<std::string_view, 1>{too_long}), "");
}

TEST(nearest_name, takes_the_first_of_equally_near_names) {
  EXPECT_EQ(nearest_name("avx3", std::array<std::string_view, 2>{"avx2", "avx1"}), "avx2");
}

TEST(nearest_name, did_you_mean_is_empty_when_nothing_is_near) {
  EXPECT_EQ(did_you_mean("avx", names), ", did you mean 'avx2'?");
  EXPECT_EQ(did_you_mean("zebra", names), "");
}

}  // namespace
}  // namespace harness
