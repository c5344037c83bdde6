#include "harness/validation_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/canonical_json.hpp"

namespace harness {
namespace {

using nlohmann::json;

constexpr int64_t max_integer = int64_t{1} << 53;
constexpr const char* number_range =
    "a number within ±9007199254740992 (2^53), which every reader holds exactly";

size_t count_characters(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Replaces what could drive a terminal (C0, DEL, C1 in UTF-8) by escapes.
std::string printable(std::string_view utf8) {
  std::string text;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const auto next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0;
    if (byte < 0x20 || byte == 0x7F) {
      text += fmt::format("\\u{:04x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      text += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      text += utf8[i];
    }
  }
  return text;
}

std::string shortened(std::string_view utf8) {
  constexpr size_t most = 60;
  std::string text = printable(utf8);
  if (count_characters(text) <= most) return text;
  size_t end = 0;
  for (size_t characters = 0; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && ++characters == most) break;
  }
  return text.substr(0, end) + "…";
}

/// Builds the document from nlohmann's events and notes what is wrong with it. The parser itself keeps its
/// state in a list, not on the stack, so depth is refused here before anything recurses.
class StrictReader : public nlohmann::json_sax<json> {
 public:
  StrictReader(std::string_view text, json& root) : text_(text), root_(root) {}
  std::vector<Violation> violations;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override {
    if (value < -max_integer) note(std::to_string(value), number_range);
    return add(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(max_integer)) note(std::to_string(value), number_range);
    return add(value);
  }
  bool number_float(number_float_t value, const string_t& spelling) override {
    if (std::fabs(value) > static_cast<double>(max_integer)) {
      note(shortened(spelling), number_range);
    } else if (value == std::trunc(value)) {
      return add(static_cast<int64_t>(value));
    }
    return add(value);
  }
  bool string(string_t& value) override {
    check_string(value);
    return add(std::move(value));
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = name;
    check_string(name);
    const auto [member, fresh] = open_.back()->emplace(name, nullptr);
    member_ = &*member;
    if (!fresh) {
      note(shortened(canonical_text(name)), "each key once: readers disagree on which of two they keep");
    }
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override;

 private:
  [[nodiscard]] std::string token() const {
    return open_.back()->is_array() ? std::to_string(open_.back()->size()) : key_;
  }
  void note(std::string value, std::string expected) {
    std::vector<std::string> tokens = tokens_;
    if (!open_.empty()) tokens.push_back(token());
    violations.push_back({json_pointer(tokens), std::move(value), std::move(expected)});
  }
  void check_string(const std::string& value) {
    const size_t characters = count_characters(value);
    if (characters > max_string_characters) {
      note(fmt::format("{} characters", characters),
           fmt::format("at most {} characters", max_string_characters));
    }
    if (value.find('\0') != std::string::npos) {
      note(shortened(canonical_text(value)), "no U+0000: databases and C programs end a text there");
    }
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &(*member_ = std::move(value));
  }
  bool open(json container) {
    if (open_.size() == max_document_depth) {
      note("deeper", fmt::format("at most {} levels of lists and objects", max_document_depth));
      return false;
    }
    if (!open_.empty()) tokens_.push_back(token());
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    if (!tokens_.empty()) tokens_.pop_back();
    return true;
  }

  std::string_view text_;
  json& root_;
  std::vector<json*> open_;  // only the last is appended to, so the others stay where they are
  std::vector<std::string> tokens_;
  std::string key_;
  json* member_ = nullptr;  // of that key: its value comes next
};

/// Says where a byte stands, for people: "line 3, column 14".
std::string place_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", lines + 1, count_characters(before.substr(line_start)) + 1);
}

/// Returns the ASCII around a byte, to show where reading stopped: the text itself may be ill-formed there.
std::string excerpt(std::string_view text, size_t offset) {
  const size_t start = offset < 20 ? 0 : offset - 20;
  std::string part(text.substr(std::min(start, text.size()), 40));
  for (char& c : part) {
    if (c < 0x20 || c == 0x7F) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
  }
  return part;
}

bool StrictReader::parse_error(size_t position, const std::string&,
                               const nlohmann::detail::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: REASON; last read: '…'; expected …"
  std::string reason = error.what();
  if (const size_t bracket = reason.find("] "); bracket != std::string::npos) reason.erase(0, bracket + 2);
  if (reason.starts_with("parse error at")) reason.erase(0, reason.find(": ") + 2);
  if (const size_t last = reason.find("; last read"); last != std::string::npos) reason.erase(last);
  if (const size_t number = reason.find(" parsing '"); number != std::string::npos) reason.erase(number);
  const size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
  violations.push_back(
      {"", excerpt(text_, offset), fmt::format("JSON: {}: {}", place_of(text_, offset), reason)});
  return false;
}

}  // namespace

std::vector<Violation> parse_strictly(std::string_view text, json& value) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    return {{"", "a byte order mark", "JSON: line 1, column 1: UTF-8 without a byte order mark"}};
  }
  // nlohmann takes a NUL byte for the end of the text and would not see what follows it.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return {{"", excerpt(text, nul), fmt::format("JSON: {}: a NUL byte is no JSON", place_of(text, nul))}};
  }
  StrictReader reader(text, value);
  json::sax_parse(text, &reader);
  return std::move(reader.violations);
}

std::string json_pointer(const std::vector<std::string>& tokens) {
  std::string pointer;
  for (const std::string& token : tokens) {
    pointer += '/';
    for (char c : token) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return printable(pointer);
}

std::string shown_value(const json& value) {
  const auto counted = [](size_t count, const char* one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
  };
  if (value.is_object()) return "an object of " + counted(value.size(), "member");
  if (value.is_array()) return "a list of " + counted(value.size(), "item");
  return shortened(canonical_text(value));
}

}  // namespace harness
