#include "harness/import_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "harness/import_rows.hpp"

namespace harness {
namespace {

using nlohmann::json;

/// Returns the length of a NaN or infinity at an offset, however it is spelled, or 0.
size_t odd_number(std::string_view text, size_t at) {
  const size_t begin = at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  std::string word;
  for (; at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0 && word.size() < 9; ++at)
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
  const bool odd = word == "nan" || word == "inf" || word == "infinity";
  if (odd && word == "nan" && text.substr(at, 5) == "(ind)") at += 5;  // Microsoft's
  return odd ? at - begin : 0;
}

size_t behind_string(std::string_view text, size_t quote) {
  for (size_t i = quote + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Copies the document at an offset, odd numbers replaced by as many characters.
std::string whole_document(std::string_view text, size_t offset, const std::string& name) {
  std::string copy;
  int depth = 0;
  for (size_t i = offset; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      const size_t end = behind_string(text, i);
      if (end == std::string_view::npos) break;
      copy += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (const size_t odd = odd_number(text, i); odd > 0) {
      copy += R"("")" + std::string(odd - 2, ' ');
      i += odd;
      continue;
    }
    copy += c == '%' ? ' ' : c;  // Google Benchmark 1.1 wrote "rms": 12%
    ++i;
    if (c == '{' || c == '[') ++depth;
    if (depth > max_import_depth)
      throw import_error(name, text, i - 1,
                         fmt::format("nested deeper than {}; no benchmark writes that", max_import_depth));
    if ((c == '}' || c == ']') && --depth == 0) return copy;
  }
  throw import_error(name, text, text.size(),
                     fmt::format("the file ends inside the JSON that begins in line {}: it was cut short; "
                                 "save the benchmark's whole output again",
                                 line_of(text, offset)));
}

/// Remembers the keys of the objects that are open.
class Keys {
 public:
  bool operator()(int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  }
  std::string twice;

 private:
  std::vector<std::set<std::string>> open_;
};

/// Returns what nlohmann-json says is wrong, without its number and place.
std::string reason_of(const json::exception& wrong) {
  std::string what = wrong.what();
  for (const char* before : {"] ", " - "}) {
    const size_t detail = what.find(before);
    if (detail != std::string::npos) what.erase(0, detail + std::string_view(before).size());
  }
  return import_label(what, 160);
}

}  // namespace

bool json_may_begin(std::string_view text, size_t offset) {
  if (offset >= text.size() || (text[offset] != '{' && text[offset] != '[')) return false;
  const size_t next = text.find_first_not_of(" \t\n", offset + 1);
  if (next == std::string_view::npos) return true;  // cut off at once
  if (text[offset] == '{') return text[next] == '"' || text[next] == '}';
  return text[next] == '{' || text[next] == ']';
}

json json_document(std::string_view text, size_t offset, const std::string& name, size_t& end) {
  const std::string copy = whole_document(text, offset, name);
  end = offset + copy.size();
  Keys keys;
  try {
    json document = json::parse(copy, std::ref(keys));
    if (!keys.twice.empty()) {
      throw import_error(name, text, offset,
                         fmt::format("'{}' stands twice in one object of the JSON that begins here; remove "
                                     "the wrong one",
                                     import_label(keys.twice, 60)));
    }
    return document;
  } catch (const json::parse_error& wrong) {
    throw import_error(name, text, offset + (wrong.byte > 0 ? wrong.byte - 1 : 0),
                       fmt::format("is not JSON ({}); mend it or save the output again", reason_of(wrong)));
  } catch (const json::exception& wrong) {  // a number beyond every double
    throw import_error(
        name, text, offset,
        fmt::format("the JSON that begins here cannot be read ({}); mend it", reason_of(wrong)));
  }
}

std::optional<std::string> scalar_text(const json& value) {
  if (value.is_structured()) return std::nullopt;
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

}  // namespace harness
