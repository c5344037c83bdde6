#include "probes/paged_buffer.hpp"

#include <gtest/gtest.h>

namespace probes {
namespace {

constexpr int64_t bytes = 4 << 20;

TEST(PagedBuffer, small_pages_are_backed_by_no_huge_one) {
  const auto taken = take_buffer(bytes, "small", 1);
  ASSERT_TRUE(harness::available(taken)) << std::get<harness::Unavailable>(taken).reason;
  const auto& buffer = std::get<harness::Buffer>(taken);
  EXPECT_EQ(buffer.bytes(), size_t{bytes});
  EXPECT_EQ(buffer.huge_bytes_granted(), 0U);
  harness::Series series;
  record_pages(series, buffer, "small");
  EXPECT_EQ(std::get<std::string>(series.params.at("pages")), "small");
  EXPECT_EQ(std::get<int64_t>(series.params.at("buffer_bytes")), bytes);
}

TEST(PagedBuffer, huge_ones_are_granted_or_the_reason_says_how_many_were) {
  const auto taken = take_buffer(bytes, "huge", 1);
  if (harness::available(taken)) {
    EXPECT_GE(std::get<harness::Buffer>(taken).huge_bytes_granted() * 10, size_t{bytes} * 9);
  } else {
    EXPECT_NE(std::get<harness::Unavailable>(taken).reason.find("of 4194304 bytes"), std::string::npos);
  }
}

TEST(PagedBuffer, any_is_never_refused_and_another_word_is) {
  EXPECT_TRUE(harness::available(take_buffer(bytes, "any", 1)));
  EXPECT_THROW(take_buffer(bytes, "giant", 1), harness::Error);
}

}  // namespace
}  // namespace probes
