#include "harness/cli/foreign_text.hpp"

#include <cctype>

#include "harness/text_characters.hpp"

namespace cli {
namespace {

bool is_word(std::string_view text, size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size();) {
    const harness::Character next = harness::character_at(text, i);
    // A byte alone, which is no UTF-8, is left to the reader.
    const bool hidden = harness::is_hidden(next.point) && (next.bytes > 1 || next.point < 0x80);
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
