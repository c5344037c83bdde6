#include "harness/canonical_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "harness/error.hpp"

namespace harness {
namespace {

using nlohmann::json;

/// Appends canonical text; remembers the nearest key for the message of a number that JSON cannot hold.
struct Writer {
  std::string text;
  std::string_view key = "the document";

  void value(const json& item);
  void object(const json& item);
  void array(const json& item);
  void number(double real);
  void string(std::string_view characters);
};

void Writer::string(std::string_view characters) {
  text += '"';
  for (char c : characters) {
    switch (c) {
      case '"':
        text += "\\\"";
        break;
      case '\\':
        text += "\\\\";
        break;
      case '\b':
        text += "\\b";
        break;
      case '\f':
        text += "\\f";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          text += c;
        }
    }
  }
  text += '"';
}

void Writer::number(double real) {
  if (!std::isfinite(real)) {
    throw Error(ExitCode::internal, fmt::format("{}: {} is no number that a document can hold", key, real));
  }
  text += ecmascript_number(real);
}

void Writer::array(const json& item) {
  text += '[';
  bool first = true;
  for (const json& element : item) {
    if (!first) text += ',';
    first = false;
    value(element);
  }
  text += ']';
}

void Writer::object(const json& item) {
  std::vector<json::const_iterator> members;
  for (auto member = item.cbegin(); member != item.cend(); ++member) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return utf16_less(a.key(), b.key()); });
  text += '{';
  bool first = true;
  for (const auto& member : members) {
    if (!first) text += ',';
    first = false;
    string(member.key());
    text += ':';
    key = member.key();
    value(member.value());
  }
  text += '}';
}

void Writer::value(const json& item) {
  switch (item.type()) {
    case json::value_t::object:
      return object(item);
    case json::value_t::array:
      return array(item);
    case json::value_t::string:
      return string(item.get_ref<const std::string&>());
    case json::value_t::number_float:
      return number(item.get<double>());
    case json::value_t::boolean:
      text += item.get<bool>() ? "true" : "false";
      return;
    case json::value_t::null:
      text += "null";
      return;
    default:
      text += item.dump();  // integers: JSON and ECMAScript write them alike within ±2^53
  }
}

}  // namespace

std::string canonical_text(const json& value) {
  Writer writer;
  writer.value(value);
  return std::move(writer.text);
}

std::string ecmascript_number(double value) {
  if (value == 0) return "0";  // also -0
  std::array<char, 40> buffer{};
  // Shortest digits that read back as the same double: d.ddde±xx.
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view shortest(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = shortest.find('e');
  std::string digits(shortest.substr(0, 1));
  if (e > 1) digits += shortest.substr(2, e - 2);
  const char* exponent_text = shortest.data() + e + 1 + (shortest[e + 1] == '+' ? 1 : 0);
  int exponent = 0;
  std::from_chars(exponent_text, end, exponent);

  const char* sign = value < 0 ? "-" : "";
  const int k = static_cast<int>(digits.size());
  const int n = exponent + 1;  // ECMA-262's n: the value is 0.digits × 10^n
  if (k <= n && n <= 21) return fmt::format("{}{:0<{}}", sign, digits, n);
  if (0 < n && n <= 21) return fmt::format("{}{}.{}", sign, digits.substr(0, n), digits.substr(n));
  if (-6 < n && n <= 0) return fmt::format("{}0.{}{}", sign, std::string(-n, '0'), digits);
  const char* point = k > 1 ? "." : "";
  return fmt::format("{}{}{}{}e{:+}", sign, digits[0], point, digits.substr(1), n - 1);
}

bool utf16_less(const std::string& a, const std::string& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
  // Lead bytes F0–F4 (above U+FFFF) are surrogates D800–DFFF in UTF-16: below EE and EF (U+E000–U+FFFF).
  // Where strings differ in a continuation byte their lead bytes are equal, and byte order is code point
  // order.
  const auto rank = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte;
  };
  return rank(*x) < rank(*y);
}

}  // namespace harness
