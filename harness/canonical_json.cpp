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

/// Whether a name holds a character from U+E000 on, whose place depends on what is compared.
bool beyond_e000(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xEE; });
}

/// Appends canonical text; remembers the nearest key for the message of a number that JSON cannot hold.
struct Writer {
  std::string text;
  std::string_view key = "the document";

  void value(const json& item);
  void object(const json& item);
  void member(const std::string& name, const json& item, bool first);
  void array(const json& item);
  void number(double real);
  void string(std::string_view characters);
};

/// Returns how JSON writes a character that may not stand for itself, or "".
std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c)) : "";
  }
}

void Writer::string(std::string_view characters) {
  const auto stands_for_itself = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  text += '"';
  for (size_t at = 0; at < characters.size(); ++at) {
    const size_t plain = at;
    while (at < characters.size() && stands_for_itself(characters[at])) ++at;
    text.append(characters.substr(plain, at - plain));
    if (at < characters.size()) text += escaped(characters[at]);
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

void Writer::member(const std::string& name, const json& item, bool first) {
  if (!first) text += ',';
  string(name);
  text += ':';
  key = name;
  value(item);
}

void Writer::object(const json& item) {
  const auto& members = item.get_ref<const json::object_t&>();
  text += '{';
  bool first = true;
  // They stand in the order of their bytes, which is that of UTF-16 below U+E000.
  if (std::none_of(members.begin(), members.end(), [](const auto& one) { return beyond_e000(one.first); })) {
    for (const auto& [name, of] : members) {
      member(name, of, first);
      first = false;
    }
  } else {
    std::vector<json::object_t::const_iterator> sorted;
    sorted.reserve(members.size());
    for (auto one = members.begin(); one != members.end(); ++one) sorted.push_back(one);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return utf16_less(a->first, b->first); });
    for (const auto& one : sorted) {
      member(one->first, one->second, first);
      first = false;
    }
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
    case json::value_t::number_unsigned:  // JSON and ECMAScript write integers alike within ±2^53
      text += fmt::format_int(item.get<uint64_t>()).c_str();
      return;
    case json::value_t::number_integer:
      text += fmt::format_int(item.get<int64_t>()).c_str();
      return;
    default:
      text += item.dump();
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
