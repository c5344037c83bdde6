// Tables that people paste: CSV, SQL's INSERT, markdown. Each gives records of named texts.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// One line of a table, or one object.
struct ImportRecord {
  int64_t line = 1;
  std::map<std::string, std::string> fields;
  std::vector<int64_t> samples_ns;                                            ///< JSON only
  [[nodiscard]] const std::string& operator[](const std::string& key) const;  ///< "" when there is none
  [[nodiscard]] bool has(const std::string& key) const { return fields.contains(key); }
};

/// Splits one line of CSV; quotes may hold commas and doubled quotes. Returns false when one does not close.
bool split_csv(std::string_view line, std::vector<std::string>& cells, char separator = ',');
/// Returns what parts the cells below a header: a comma, a semicolon or a tab, whichever it has most.
char csv_separator(std::string_view header);

/// Splits one line of a markdown table, or one parted by tabs, into its trimmed cells, the marks of bold and
/// code taken off; empty when it is none.
std::vector<std::string> split_table_line(std::string_view line);

/// Reads the CSV table whose header stands at an offset, to the first line of another width; sets `end`
/// behind it. Throws Error(invalid_input) for a quote that does not close or a last line that was cut off.
std::vector<ImportRecord> csv_table(std::string_view text, size_t offset, const std::string& name,
                                    size_t& end);

/// Reads the INSERT statement at an offset, with its column names and one or more rows of values.
std::vector<ImportRecord> sql_insert(std::string_view text, size_t offset, const std::string& name,
                                     size_t& end);

/// Reads the table whose header stands at an offset: markdown, with bars around its lines (also quoted with
/// "> ") or only between its cells, or parted by tabs.
std::vector<ImportRecord> pasted_table(std::string_view text, size_t offset, const std::string& name,
                                       size_t& end);

}  // namespace harness
