#include "harness/import_llama_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "harness/import_json.hpp"

namespace harness {
namespace {

using nlohmann::json;

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

bool is_llama_bench(const json& object) {
  return object.is_object() && ((object.contains("avg_ts") && object.contains("n_gen")) ||
                                (object.contains("speed_tg") && object.contains("pl")));
}

/// llama-batched-bench measures a prompt and then so many texts at once.
void rename_batched(ImportRecord& record) {
  if (!record.has("speed_tg")) return;
  record.fields["n_prompt"] = "0";
  record.fields["n_gen"] = record["tg"];
  record.fields["n_depth"] = record["pp"];
  record.fields["avg_ts"] = record["speed_tg"];
  record.fields["streams"] = record["pl"];
}

ImportRecord record_of(const json& object, int64_t line) {
  ImportRecord record;
  record.line = line;
  for (const auto& [key, value] : object.items()) {
    if (const std::optional<std::string> text = scalar_text(value)) record.fields[key] = *text;
  }
  if (const auto samples = object.find("samples_ns"); samples != object.end() && samples->is_array()) {
    for (const json& sample : *samples) {
      if (!sample.is_number() || sample.get<double>() < 0 || sample.get<double>() >= 0x1p53) {
        record.samples_ns.clear();
        break;
      }
      record.samples_ns.push_back(sample.get<int64_t>());
    }
  }
  rename_batched(record);
  return record;
}

/// Walks a text line by line and gathers what it recognises.
class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  Imported read() {
    imported_.from = "llama_bench";
    for (size_t at = 0; at < text_.size();) at = take(at);
    if (imported_.rows.empty()) {
      throw import_error(
          name_, text_, 0,
          "holds nothing that llama-bench prints; give it the output of llama-bench -o json, jsonl, sql, csv "
          "or md (another program's: see --from)");
    }
    return std::move(imported_);
  }

 private:
  /// Takes what begins in the line at an offset; returns where to go on.
  size_t take(size_t at) {
    const size_t line_end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = std::string_view(text_).substr(at, line_end - at);
    const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    size_t end = line_end + 1;
    if (json_may_begin(text_, at + first)) {
      take_json(at + first, end);
    } else if (lower(line.substr(first, 12)) == "insert into ") {
      take_records(sql_insert(text_, at + first, name_, end));
    } else if (is_csv_header(line)) {
      take_records(csv_table(text_, at, name_, end));
    } else if (is_markdown_header(line)) {
      std::vector<ImportRecord> records;
      for (const ImportRecord& cells : markdown_table(text_, at, end))
        records.push_back(llama_bench_record(cells));
      take_records(records);
    } else if (line.substr(first).starts_with("build: ")) {
      name_builds(line.substr(first + 7));
    } else if (first < line.size()) {
      ++imported_.skipped_lines;
    }
    return end;
  }

  void take_json(size_t at, size_t& end) {
    const json document = json_document(text_, at, name_, end);
    std::vector<ImportRecord> records;
    const int64_t line = line_of(text_, at);
    if (is_llama_bench(document)) records.push_back(record_of(document, line));
    if (document.is_array()) {
      for (const json& object : document) {
        if (is_llama_bench(object)) records.push_back(record_of(object, line));
      }
    }
    take_records(records);
  }

  void take_records(const std::vector<ImportRecord>& records) {
    imported_.parts += records.empty() ? 0 : 1;
    for (const ImportRecord& record : records) {
      if (imported_.rows.size() >= max_import_rows) {
        throw Error(ExitCode::invalid_input, fmt::format("{}: line {}: more than {} rows; split the file",
                                                         name_, record.line, max_import_rows));
      }
      imported_.rows.push_back(llama_bench_row(record));
    }
  }

  [[nodiscard]] static bool is_csv_header(std::string_view line) {
    std::vector<std::string> cells;
    if (line.find("avg_ts") == std::string_view::npos || line.find(',') == std::string_view::npos)
      return false;
    split_csv(line, cells);
    const auto holds = [&](const char* name) {
      return std::find(cells.begin(), cells.end(), name) != cells.end();
    };
    return holds("avg_ts") && holds("n_gen");
  }
  [[nodiscard]] static bool is_markdown_header(std::string_view line) {
    const std::vector<std::string> cells = split_markdown(line);
    const auto holds = [&](const char* name) {
      return std::find(cells.begin(), cells.end(), name) != cells.end();
    };
    return (holds("test") && holds("t/s")) || (holds("TG") && holds("S_TG t/s"));
  }
  /// The line below a table names the build that made it.
  void name_builds(std::string_view build) {
    for (ImportedRow& row : imported_.rows) {
      if (!available(row.program)) row.program = import_label(fmt::format("llama.cpp {}", build));
    }
  }

  const std::string& text_;
  const std::string& name_;
  Imported imported_;
};

}  // namespace

Imported read_llama_bench(const std::string& text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace harness
