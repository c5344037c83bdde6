#include "harness/cli/query_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/cli/foreign_text.hpp"
#include "harness/csv.hpp"

namespace cli {
namespace {

using harness::SqlValue;

bool ends(const std::string& name, const char* with) {
  return name.ends_with(with);
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A text on one line, that cannot drive a terminal.
std::string shown(const std::string& text) {
  if (is_hash(text)) return text.substr(0, 12);
  return one_line(text);
}

std::string shown(double value, const std::string& column) {
  if (!std::isfinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (ends(column, "bytes_per_s")) return format_rate(value);
  if (ends(column, "bytes")) return format_bytes(value);
  if (std::fabs(value) >= 1000) return format_count(std::round(value));
  return fmt::format("{:.4g}", value);
}

std::string shown(const SqlValue& value, const std::string& column) {
  if (const auto* text = std::get_if<std::string>(&value)) return shown(*text);
  if (const auto* real = std::get_if<double>(&value)) return shown(*real, column);
  if (const auto* integer = std::get_if<int64_t>(&value))
    return ends(column, "bytes") ? format_bytes(static_cast<double>(*integer)) : std::to_string(*integer);
  return "";
}

Table table_of(const AnswerTable& answer) {
  Table table{answer.columns, {}, {}};
  for (size_t column = 0; column < answer.columns.size(); ++column) {
    bool numbers = !answer.rows.empty();
    for (const auto& row : answer.rows)
      numbers = numbers && !std::holds_alternative<std::string>(row[column]);
    if (!numbers) table.left_columns.push_back(column);
  }
  for (const auto& row : answer.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (size_t column = 0; column < row.size(); ++column)
      cells.push_back(shown(row[column], answer.columns[column]));
  }
  return table;
}

nlohmann::ordered_json json_of(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return *real;  // Inf is written as null
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  return nullptr;
}

std::vector<std::string> distinct(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const std::string& column : columns) {
    const int count = ++seen[column];
    names.push_back(count == 1 ? column : fmt::format("{}_{}", column, count));
  }
  return names;
}

}  // namespace

std::string to_text(const Terminal& terminal, const std::vector<AnswerTable>& tables) {
  std::string text;
  for (const AnswerTable& table : tables) {
    if (tables.size() > 1) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", table.name);
    text += table.rows.empty() ? "(none)\n" : to_text(terminal, table_of(table));
  }
  return text;
}

std::string to_json(const std::vector<AnswerTable>& tables) {
  nlohmann::ordered_json json{{"tables", nlohmann::ordered_json::array()}};
  for (const AnswerTable& table : tables) {
    const std::vector<std::string> names = distinct(table.columns);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      nlohmann::ordered_json object = nlohmann::ordered_json::object();
      for (size_t column = 0; column < row.size(); ++column) object[names[column]] = json_of(row[column]);
      rows.push_back(std::move(object));
    }
    json["tables"].push_back({{"name", table.name}, {"more", table.more}, {"rows", std::move(rows)}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_csv(const AnswerTable& table) {
  std::string text = harness::csv_record(table.columns);
  for (const auto& row : table.rows) text += harness::csv_record(row);
  return text;
}

}  // namespace cli
