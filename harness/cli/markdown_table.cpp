#include "harness/cli/markdown_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cli {
namespace {

std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string to_markdown(const Table& table) {
  const auto& left = table.left_columns;
  std::string text = fmt::format("| {} |\n|", fmt::join(table.header, " | "));
  for (size_t i = 0; i < table.header.size(); ++i)
    text += std::find(left.begin(), left.end(), i) != left.end() ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const std::string& each : row) cells.push_back(escaped(each));
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return text;
}

}  // namespace cli
