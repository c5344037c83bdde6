#include "harness/cli/foreign_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace cli {
namespace {

/// A character of UTF-8: how many bytes it has (1 where they are none), and its number.
struct Character {
  size_t bytes = 1;
  char32_t point = 0;
};

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

/// Controls, and what Unicode calls "default ignorable" or gives a direction.
bool is_hidden(char32_t point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 18> hidden{{{0x00, 0x1F},
                                                                  {0x7F, 0x7F},
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

bool is_word(std::string_view text, size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size();) {
    const Character next = character_at(text, i);
    // C1 controls are C2 80 … C2 9F; a byte alone, which is no UTF-8, is left to the reader.
    const bool c1 = next.bytes == 2 && next.point < 0xA0;
    const bool hidden = c1 || (is_hidden(next.point) && (next.bytes > 1 || next.point < 0x80));
    line += hidden ? std::string_view("?") : text.substr(i, next.bytes);
    i += next.bytes;
  }
  return line;
}

std::string markdown_safe(std::string_view text) {
  constexpr std::string_view meaning = "|<>@`*#~\\&$";
  std::string safe = one_line(text);
  for (size_t i = 0; i < safe.size(); ++i) {
    char& c = safe[i];
    if (meaning.find(c) != std::string_view::npos) c = '?';
    if (c == '[') c = '(';
    if (c == ']') c = ')';
    // Within a word, as in names of models, it is only itself.
    if (c == '_' && !((i > 0 && is_word(safe, i - 1)) && is_word(safe, i + 1))) c = '?';
  }
  // Addresses are links without any mark.
  for (size_t at = 0; (at = safe.find("://", at)) != std::string::npos;) safe.replace(at, 3, ":?");
  for (size_t at = 0; at + 4 <= safe.size(); ++at) {
    const auto lower = [&](size_t i) { return std::tolower(static_cast<unsigned char>(safe[i])); };
    if (safe[at + 3] == '.' && lower(at) == 'w' && lower(at + 1) == 'w' && lower(at + 2) == 'w')
      safe[at + 3] = '?';
  }
  return safe;
}

}  // namespace cli
