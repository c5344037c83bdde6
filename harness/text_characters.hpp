// Characters of UTF-8, and those that nobody sees. Pure.
#pragma once
#include <cstddef>
#include <string_view>

namespace harness {

/// A character of UTF-8: how many bytes it has (1 where they are none), and its number.
struct Character {
  size_t bytes = 1;
  char32_t point = 0;
};

/// Returns the character that begins at `at`, which lies within the text; a byte that begins none is itself.
Character character_at(std::string_view text, size_t at);

/// Whether nobody sees a character, or it moves others: controls, and what Unicode calls "default ignorable"
/// or gives a direction.
bool is_hidden(char32_t point);

}  // namespace harness
