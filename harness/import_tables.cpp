#include "harness/import_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/import_rows.hpp"

namespace harness {
namespace {

std::string_view line_at(std::string_view text, size_t offset) {
  return text.substr(offset, std::min(text.find('\n', offset), text.size()) - offset);
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

size_t behind_line(std::string_view text, size_t offset) {
  const size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

ImportRecord record_of(const std::vector<std::string>& names, const std::vector<std::string>& cells,
                       int64_t line) {
  ImportRecord record;
  record.line = line;
  for (size_t i = 0; i < names.size() && i < cells.size(); ++i) record.fields[names[i]] = cells[i];
  return record;
}

/// Reads the words and values of one SQL statement.
class SqlReader {
 public:
  SqlReader(std::string_view text, size_t offset, const std::string& name)
      : text_(text), at_(offset), name_(name) {}
  [[nodiscard]] size_t at() const { return at_; }

  bool take(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void require(char wanted) {
    if (!take(wanted)) refuse(fmt::format("expected '{}'", wanted));
  }
  /// An identifier, a number or a quoted text, doubled quotes undone.
  std::string item() {
    skip_space();
    if (at_ >= text_.size()) refuse("the file ends inside an INSERT: it was cut short");
    const char quote = text_[at_];
    std::string value;
    if (quote != '\'' && quote != '"' && quote != '`') {
      while (at_ < text_.size() && std::string_view(" \t\n,();").find(text_[at_]) == std::string_view::npos)
        value += text_[at_++];
      if (value.empty()) refuse("expected a name or a value");
      return value;
    }
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != quote) {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == quote) {
        value += text_[at_++];
      } else {
        ++at_;
        return value;
      }
    }
    refuse("the file ends inside a quoted value: it was cut short");
  }
  std::vector<std::string> list() {
    std::vector<std::string> items;
    require('(');
    do {
      items.push_back(item());
    } while (take(','));
    require(')');
    return items;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw import_error(name_, text_, std::min(at_, text_.size()),
                       what + "; save llama-bench's whole SQL output again");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string_view text_;
  size_t at_;
  const std::string& name_;
};

}  // namespace

const std::string& ImportRecord::operator[](const std::string& key) const {
  static const std::string none;
  const auto found = fields.find(key);
  return found == fields.end() ? none : found->second;
}

char csv_separator(std::string_view header) {
  for (const char separator : {';', '\t'}) {
    if (std::count(header.begin(), header.end(), separator) > std::count(header.begin(), header.end(), ','))
      return separator;
  }
  return ',';
}

bool split_csv(std::string_view line, std::vector<std::string>& cells, char separator) {
  cells.assign(1, "");
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return !quoted;
}

std::vector<ImportRecord> csv_table(std::string_view text, size_t offset, const std::string& name,
                                    size_t& end) {
  std::vector<std::string> names, cells;
  LineCounter lines(text);
  const char separator = csv_separator(line_at(text, offset));
  split_csv(line_at(text, offset), names, separator);
  std::vector<ImportRecord> records;
  for (end = behind_line(text, offset); end < text.size() && records.size() <= max_import_rows;
       end = behind_line(text, end)) {
    const std::string_view line = line_at(text, end);
    if (blank(line)) break;
    const bool closed = split_csv(line, cells, separator);
    const bool like_a_row =
        line.find(separator) != std::string_view::npos && (line[0] == '"' || cells.size() > 8);
    if (closed && cells.size() != names.size() && !like_a_row) break;  // prose behind the table
    if (!closed || cells.size() != names.size()) {
      throw import_error(
          name, text, end,
          fmt::format("{} cells under {} names: the line was cut or joined; save the CSV again", cells.size(),
                      names.size()));
    }
    if (cells != names) records.push_back(record_of(names, cells, lines.line_of(end)));
  }
  return records;
}

std::vector<ImportRecord> sql_insert(std::string_view text, size_t offset, const std::string& name,
                                     size_t& end) {
  SqlReader reader(text, offset, name);
  const int64_t line = line_of(text, offset);
  reader.item();  // INSERT
  reader.item();  // INTO
  reader.item();  // the table
  const std::vector<std::string> names = reader.list();
  std::string values = reader.item();
  for (char& c : values) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (values != "VALUES") reader.refuse("expected VALUES");
  std::vector<ImportRecord> records;
  do {
    const std::vector<std::string> cells = reader.list();
    if (cells.size() != names.size())
      reader.refuse(fmt::format("{} values for {} columns", cells.size(), names.size()));
    records.push_back(record_of(names, cells, line));
  } while (reader.take(',') && records.size() <= max_import_rows);
  reader.take(';');
  end = reader.at();
  return records;
}

namespace {

/// How a table is written: "| a | b |", "a | b" as markdown allows, too, or parted by tabs, as a browser
/// copies it.
struct TableStyle {
  char mark = '\0';  ///< '\0': no table
  bool led = false;  ///< by a mark in front of the first cell
};

std::string_view unquoted(std::string_view line) {
  while (!line.empty() && (line[0] == ' ' || line[0] == '>')) line.remove_prefix(1);
  return line;
}

TableStyle style_of(std::string_view line) {
  line = unquoted(line);
  if (line.starts_with("|")) return {'|', true};
  if (line.find('|') != std::string_view::npos) return {'|', false};
  return {line.find('\t') == std::string_view::npos ? '\0' : '\t', false};
}

/// A cell's text without the marks of bold, italic and code around it.
std::string cell_text(std::string_view cell) {
  std::string text = import_label(cell, 300);
  while (!text.empty() && (text.back() == '*' || text.back() == '`')) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of("*`"), text.size()));
  return text;
}

std::vector<std::string> split_cells(std::string_view line, const TableStyle& style) {
  std::vector<std::string> cells;
  line = unquoted(line);
  if (style.mark == '\0' || line.find(style.mark) == std::string_view::npos) return cells;
  if (style.led && line[0] != style.mark) return cells;
  if (style.led) line.remove_prefix(1);
  while (!line.empty()) {
    const size_t bar = std::min(line.find(style.mark), line.size());
    const std::string_view cell = line.substr(0, bar);
    const bool last = bar == line.size();
    if (!last || !blank(cell)) cells.push_back(cell_text(cell));
    line.remove_prefix(last ? bar : bar + 1);
    if (!last && line.empty() && style.mark == '\t') cells.emplace_back();  // an empty last cell
  }
  return cells;
}

}  // namespace

std::vector<std::string> split_table_line(std::string_view line) {
  return split_cells(line, style_of(line));
}

/// A header right below a table.
static bool is_another_table(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return cell.find("t/s") != std::string::npos && cell.find_first_of("0123456789") == std::string::npos;
  });
}

std::vector<ImportRecord> pasted_table(std::string_view text, size_t offset, const std::string& name,
                                       size_t& end) {
  LineCounter lines(text);
  const TableStyle style = style_of(line_at(text, offset));
  const std::vector<std::string> names = split_cells(line_at(text, offset), style);
  std::vector<ImportRecord> records;
  for (end = behind_line(text, offset); end < text.size() && records.size() <= max_import_rows;
       end = behind_line(text, end)) {
    const std::vector<std::string> cells = split_cells(line_at(text, end), style);
    if (cells.empty() || cells == names || (cells.size() != names.size() && is_another_table(cells))) break;
    if (cells.size() != names.size()) {
      throw import_error(
          name, text, end,
          fmt::format("{} cells under {} names: the line was cut or wrapped; paste the table again as it was "
                      "printed",
                      cells.size(), names.size()));
    }
    const bool rule = std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
      return cell.find_first_not_of("-: ") == std::string::npos;
    });
    if (!rule) records.push_back(record_of(names, cells, lines.line_of(end)));
  }
  return records;
}

}  // namespace harness
