// What of a single word says who or where: addresses, ids, tokens, paths. Part of scrub.
#pragma once
#include <string>
#include <string_view>

namespace harness {

/// Returns whether a text begins as an absolute path does: "/x", "~", "C:\x", "\\server".
bool begins_path(std::string_view text);

/// Returns a word (no blanks around it) with its private part replaced by a word in round brackets.
std::string without_private_parts(std::string_view word);

}  // namespace harness
