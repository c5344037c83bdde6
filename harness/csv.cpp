#include "harness/csv.hpp"

#include <cmath>

#include "harness/canonical_json.hpp"

namespace harness {
namespace {

std::string field(const std::string& text) {
  const bool formula = !text.empty() && std::string("=+-@\t\r").find(text.front()) != std::string::npos;
  std::string safe = formula ? "'" + text : text;
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string field(const SqlValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? ecmascript_number(*real) : *real < 0 ? "-Inf" : "Inf";
  const auto* text = std::get_if<std::string>(&value);
  return text ? field(*text) : "";
}

template <class Values>
std::string record(const Values& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + field(values[i]);
  return text + "\r\n";
}

}  // namespace

std::string csv_record(const std::vector<SqlValue>& values) {
  return record(values);
}

std::string csv_record(const std::vector<std::string>& texts) {
  return record(texts);
}

}  // namespace harness
