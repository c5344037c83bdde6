#include "harness/cli/import_text.hpp"

#include <fmt/format.h>

namespace cli {
namespace {

using harness::ImportedRow;

std::string speed_of(const ImportedRow& row) {
  if (available(row.tokens_per_s)) return fmt::format("{:.2f}", std::get<double>(row.tokens_per_s));
  return "-";
}

std::string words_or(const harness::Reading<std::string>& reading, const char* otherwise) {
  return available(reading) ? std::get<std::string>(reading) : otherwise;
}

/// What speaks against comparing a row, else what its check said.
std::string verdict_of(const ImportedRow& row) {
  if (!row.comparable) return fmt::format("not compared: {}", fmt::join(row.marks, ", "));
  return row.limit.word == "not_checked" ? "not checked: " + row.limit.detail : row.limit.word;
}

}  // namespace

std::string import_text(const Terminal& terminal, const harness::Imported& imported) {
  Table table{{"line", "row", "model", "threads", "tok/s", "level", "held against the CPU"}, {}, {1, 2, 6}};
  std::string refuted;
  size_t comparable = 0;
  for (const ImportedRow& row : imported.rows) {
    const std::string threads = available(row.threads) ? std::to_string(std::get<int64_t>(row.threads)) : "-";
    table.rows.push_back({std::to_string(row.line), row.label, words_or(row.model, "-"), threads,
                          speed_of(row), row.level, verdict_of(row)});
    comparable += row.comparable ? 1 : 0;
    if (row.limit.word == "refuted")
      refuted +=
          fmt::format("{} line {}, {}: {}\n", mark_bad(terminal), row.line, row.label, row.limit.detail);
  }
  std::string skipped;
  if (imported.skipped_lines > 0)
    skipped =
        fmt::format("{} {} line{} of the file stand in no row: look for rows among them\n",
                    mark_warning(terminal), imported.skipped_lines, imported.skipped_lines == 1 ? "" : "s");
  return to_text(terminal, table) + fmt::format("{}{}evidence level {}; {} of {} rows may be compared\n",
                                                skipped, refuted, imported.level, comparable,
                                                imported.rows.size());
}

}  // namespace cli
