#include "harness/text_characters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace harness {

Character character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(at) < 0x80    ? 1
                        : byte(at) >= 0xF0 ? 4
                        : byte(at) >= 0xE0 ? 3
                        : byte(at) >= 0xC0 ? 2
                                           : 1;
  if (length == 1 || at + length > text.size()) return {1, byte(at)};
  char32_t point = byte(at) & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return {1, byte(at)};
    point = (point << 6U) | (byte(at + i) & 0x3FU);
  }
  return {length, point};
}

bool is_hidden(char32_t point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 18> hidden{{{0x00, 0x1F},
                                                                  {0x7F, 0x9F},
                                                                  {0xAD, 0xAD},
                                                                  {0x34F, 0x34F},
                                                                  {0x61C, 0x61C},
                                                                  {0x115F, 0x1160},
                                                                  {0x17B4, 0x17B5},
                                                                  {0x180B, 0x180F},
                                                                  {0x200B, 0x200F},
                                                                  {0x2028, 0x202E},
                                                                  {0x2060, 0x206F},
                                                                  {0x3164, 0x3164},
                                                                  {0xFE00, 0xFE0F},
                                                                  {0xFEFF, 0xFEFF},
                                                                  {0xFFA0, 0xFFA0},
                                                                  {0xFFF0, 0xFFFB},
                                                                  {0xFFFE, 0xFFFF},
                                                                  {0xE0000, 0x10FFFF}}};
  return std::any_of(hidden.begin(), hidden.end(),
                     [&](const auto& range) { return point >= range.first && point <= range.second; });
}

}  // namespace harness
