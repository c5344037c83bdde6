#include "harness/import_llama_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "harness/import_decimals.hpp"
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
  return object.is_object() &&
         (((object.contains("avg_ts") || object.contains("avg_gen_ts")) && object.contains("n_gen")) ||
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

/// Some builds time prompt and generation apart within one row.
void part_timings(ImportRecord& record) {
  if (record.has("avg_ts") || !record.has("avg_gen_ts")) return;
  const bool generates = import_number(record["n_gen"]).value_or(0) > 0;
  if (generates) {
    record.fields["n_depth"] = record["n_prompt"];
    record.fields["n_prompt"] = "0";
  }
  record.fields["avg_ts"] = record[generates ? "avg_gen_ts" : "avg_prompt_ts"];
  record.fields["stddev_ts"] = record[generates ? "stddev_gen_ts" : "stddev_prompt_ts"];
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
  part_timings(record);
  return record;
}

/// A spreadsheet writes numbers as its language does; where semicolons part the cells a comma is a decimal
/// one.
void undo_spreadsheet(std::vector<ImportRecord>& records, char separator) {
  if (separator == ',') return;
  std::vector<std::string*> cells;
  for (ImportRecord& record : records) {
    for (auto& [key, cell] : record.fields) {
      if (key.ends_with("_ts") || key.starts_with("n_") || key == "model_size" || key == "model_n_params")
        cells.push_back(&cell);
    }
  }
  make_plain(cells, separator == ';');
}

/// Gathers what llama-bench measured, at whatever depth a program that wraps it put it.
void find_records(const json& value, int64_t line, std::vector<ImportRecord>& records) {
  if (is_llama_bench(value)) {
    records.push_back(record_of(value, line));
  } else if (value.is_structured()) {
    for (const json& member : value) find_records(member, line, records);
  }
}

/// What "build: 8cf427ff (5163)" names, also where it is set as code; "" in another line.
std::string_view named_build(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t`*"), line.size()));
  if (!line.starts_with("build: ")) return "";
  line.remove_prefix(7);
  return line.substr(0, line.find_first_of("`*"));
}

/// Where a line of a log holds a record behind its time, npos where it does not.
size_t logged_record(std::string_view line) {
  return line.find("{\"build_commit\":");
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
    if (!build_above_.empty()) {
      for (ImportedRow& row : imported_.rows) {
        if (!available(row.program)) row.program = build_above_;
      }
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
      take_records(parted(sql_insert(text_, at + first, name_, end)));
    } else if (is_csv_header(line)) {
      std::vector<ImportRecord> records = csv_table(text_, at + first, name_, end);
      undo_spreadsheet(records, csv_separator(line));
      take_records(parted(std::move(records)));
    } else if (is_llama_bench_table(line)) {
      take_records(llama_bench_table(text_, at, name_, end));
    } else if (const std::string_view build = named_build(line); !build.empty()) {
      name_builds(build);
    } else if (const size_t inside = logged_record(line); inside != std::string_view::npos) {
      take_json(at + inside, end);
    } else if (first < line.size()) {
      ++imported_.skipped_lines;
    }
    return end;
  }

  static std::vector<ImportRecord> parted(std::vector<ImportRecord> records) {
    std::for_each(records.begin(), records.end(), part_timings);
    return records;
  }

  void take_json(size_t at, size_t& end) {
    const json document = json_document(text_, at, name_, end);
    std::vector<ImportRecord> records;
    const int64_t line = lines_.line_of(at);
    find_records(document, line, records);
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
    if (line.find("_ts") == std::string_view::npos || line.find("n_gen") == std::string_view::npos)
      return false;
    split_csv(line, cells, csv_separator(line));
    const auto holds = [&](const char* name) {
      return std::find(cells.begin(), cells.end(), name) != cells.end();
    };
    return (holds("avg_ts") || holds("avg_gen_ts")) && holds("n_gen");
  }
  /// The line below a table names the build that made it; one above all that are not named names those.
  void name_builds(std::string_view build) {
    const std::string label = import_label(fmt::format("llama.cpp {}", build));
    bool named = false;
    for (; named_ < imported_.rows.size(); ++named_) {
      Reading<std::string>& program = imported_.rows[named_].program;
      if (available(program)) continue;
      program = label;
      named = true;
    }
    build_above_ = named ? "" : label;
  }

  const std::string& text_;
  const std::string& name_;
  LineCounter lines_{text_};
  Imported imported_;
  std::string build_above_;
  size_t named_ = 0;  ///< rows at the beginning that all name their build
};

}  // namespace

Imported read_llama_bench(const std::string& text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace harness
