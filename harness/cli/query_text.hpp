// Answers of a store as text, JSON and CSV.
#pragma once
#include <string>
#include <vector>

#include "harness/cli/terminal.hpp"
#include "harness/store_database.hpp"

namespace cli {

struct AnswerTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<harness::SqlValue>> rows;
  bool more = false;  ///< rows were left out
};

/// Returns aligned tables, units by the ends of the columns' names; hashes by their first 12 digits. A table
/// has a heading when there are several. Control characters of texts are shown as '?'.
std::string to_text(const Terminal& terminal, const std::vector<AnswerTable>& tables);

/// Returns {"tables":[{"name", "more", "rows":[{column: value}]}]}; base units. A column named twice gets
/// _2 and so on.
std::string to_json(const std::vector<AnswerTable>& tables);

std::string to_csv(const AnswerTable& table);

}  // namespace cli
