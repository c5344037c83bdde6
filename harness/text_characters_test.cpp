#include "harness/text_characters.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(text_characters, are_read_with_their_length) {
  const std::string_view text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(character_at(text, 0).point, U'a');
  EXPECT_EQ(character_at(text, 1).point, U'\u00E9');
  EXPECT_EQ(character_at(text, 3).point, U'\u20AC');
  EXPECT_EQ(character_at(text, 6).point, U'\U0001F600');
  EXPECT_EQ(character_at(text, 6).bytes, 4U);
}

TEST(text_characters, that_are_cut_or_begin_nothing_are_single_bytes) {
  for (const std::string_view text : {"\xE2\x82", "\x82", "\xC3z", "\xFF"}) {
    EXPECT_EQ(character_at(text, 0).bytes, 1U);
    EXPECT_EQ(character_at(text, 0).point, static_cast<unsigned char>(text[0]));
  }
}

TEST(text_characters, that_nobody_sees_are_known) {
  for (const char32_t point :
       {0x00, 0x1B, 0x7F, 0x9B, 0xAD, 0x200B, 0x202E, 0x2066, 0xFE0F, 0xFEFF, 0xFFFE, 0xE0041})
    EXPECT_TRUE(is_hidden(point)) << std::hex << static_cast<uint32_t>(point);
  for (const char32_t point : {0x20, 0x7E, 0xA0, 0xE9, 0x20AC, 0xFFFC, 0xFFFD, 0x1F600})
    EXPECT_FALSE(is_hidden(point)) << std::hex << static_cast<uint32_t>(point);
}

}  // namespace
}  // namespace harness
