// The strict reading of a document: what a lenient parser lets pass, and two readers would then read
// differently.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/validation.hpp"

namespace harness {

inline constexpr size_t max_string_characters = 20'000;

/// Parses a text into `value`. Returns all violations; `value` is whole only when there are none.
/// Refused beyond RFC 8259: byte order mark, depth over 32 (before descending), a key twice in an object
/// (escapes do not hide it), numbers outside ±2^53 or not finite, strings over 20,000 characters, U+0000. A
/// real that is a whole number is read as an integer, because its canonical text is one.
std::vector<Violation> parse_strictly(std::string_view text, nlohmann::json& value);

/// Joins reference tokens to an RFC 6901 pointer.
std::string json_pointer(const std::vector<std::string>& tokens);

/// Returns a value as one short line: at most 60 characters of JSON, containers by their size.
std::string shown_value(const nlohmann::json& value);

}  // namespace harness
