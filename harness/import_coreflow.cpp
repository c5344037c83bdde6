#include "harness/import_coreflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/import_json.hpp"

namespace harness {
namespace {

using nlohmann::json;

Reading<double> number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return Unavailable{"not stated"};
  if (!found->is_number() || found->get<double>() < 0 || found->get<double>() > 0x1p53)
    return Unavailable{"not a number that can be"};
  return found->get<double>();
}

Reading<int64_t> whole(const json& object, const char* key) {
  const Reading<double> value = number(object, key);
  if (!available(value)) return std::get<Unavailable>(value);
  if (std::get<double>(value) < 1) return Unavailable{"0 cannot be"};
  return static_cast<int64_t>(std::llround(std::get<double>(value)));
}

/// Returns a time stated in another unit, in ns.
Reading<double> scaled(const json& object, const char* key, double ns) {
  Reading<double> value = number(object, key);
  if (!available(value)) return value;
  if (std::get<double>(value) > 0x1p53 / ns) return Unavailable{"not a number that can be"};
  return std::get<double>(value) * ns;
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// A decode that nothing but the record's own words describe.
ImportedRow decode_row(const std::string& label, const std::string& mode, int64_t line) {
  ImportedRow row;
  row.line = line;
  row.label = import_label(label);
  row.figure = "decode";
  row.mode = mode;
  row.program = std::string("CoreFlow");
  row.cpu = Unavailable{"CoreFlow does not name the CPU"};
  row.device = std::string("CPU");  // it has no other
  row.streams = int64_t{1};
  return row;
}

/// The prefill beside a decode: many positions at once.
ImportedRow prefill_row(const ImportedRow& decode, const json& record) {
  ImportedRow row = decode;
  row.label += " prefill";
  row.figure = "prompt";
  row.mode = Unavailable{"not a decode"};
  row.tokens_per_s = number(record, "prefill_tok_s");
  row.time_ns = Unavailable{"not stated"};
  row.tokens = Unavailable{"not stated"};
  row.repetitions = Unavailable{"not stated"};
  return row;
}

/// Takes the records of one document.
class Records {
 public:
  Records(std::vector<ImportedRow>& rows, int64_t line) : rows_(rows), line_(line) {}

  void take(const json& document) {
    if (!document.is_object()) return;
    if (document.contains("mode")) return take_mode(document, text_of(document, "mode"));
    if (document.contains("tok_s_runs")) return take_runs(document);
    if (!document.contains("info") || !document["info"].is_object()) return;
    weight_bytes_ = whole(document["info"], "file_bytes");
    measured_utc_ = import_time(text_of(document, "ts"));
    file_ = import_file_name(text_of(document, "model"));
    for (const auto& [key, record] : document.items()) {
      if (record.is_object() && record.contains("mode")) take_mode(record, key);
    }
  }

 private:
  void take_mode(const json& record, const std::string& name) {
    const std::string mode = text_of(record, "mode");
    if (mode == "cold") return take_pair(record);
    if (mode == "stream") return take_stream(record, name);
    ImportedRow row = decode_row(name, mode == "clean" || mode == "stage" ? "warm" : mode, line_);
    if (mode != "clean" && mode != "stage" && mode != "evict_read" && mode != "evict_write")
      row.mode = Unavailable{"CoreFlow's mode '" + import_label(mode, 40) + "' is none of ours"};
    row.tokens_per_s = number(record, "tok_s");
    row.time_ns = scaled(record, "mean_ms", 1e6);
    row.repetitions = whole(record, "tokens");
    if (record.contains("streams")) row.streams = whole(record, "streams");
    row.threads = whole(record, "N");
    if (!available(row.threads) && mode != "stage") row.threads = Unavailable{"not stated"};
    add(row);
    if (record.contains("prefill_tok_s")) add(prefill_row(row, record));
  }

  /// Warm and flushed tokens of one process: two rows. What their author calls a median, mean and p99 are of
  /// single tokens.
  void take_pair(const json& record) {
    for (const auto& [prefix, mode] : {std::pair{"warm", "warm"}, std::pair{"cold", "evict_flush"}}) {
      const std::string name(prefix);
      ImportedRow row = decode_row(name, mode, line_);
      row.tokens_per_s = number(record, (name + "_tok_s").c_str());
      const auto times = record.find(name + "_us");
      if (times != record.end() && times->is_object()) row.time_ns = scaled(*times, "median", 1e3);
      row.repetitions = whole(record, (name + "_reps").c_str());
      row.threads = whole(record, "N");
      if (text_of(record, "flush_scope") == "model_weights") weight_bytes_ = whole(record, "flush_bytes");
      row.told.emplace_back("alternated");
      add(row);
    }
  }

  void take_stream(const json& record, const std::string& name) {
    ImportedRow row = decode_row(name, "warm", line_);
    row.figure = "other";
    row.mode = Unavailable{"not a decode"};
    row.repetitions = whole(record, "passes");
    add(row);
  }

  /// A list that its author put together: one row per run.
  void take_runs(const json& document) {
    if (!document["tok_s_runs"].is_array()) return;
    int run = 0;
    for (const json& speed : document["tok_s_runs"]) {
      if (run >= 1000) break;
      ImportedRow row = decode_row(fmt::format("run {}", ++run), "warm", line_);
      row.tokens_per_s = number(json{{"run", speed}}, "run");
      row.threads = whole(document, "threads");
      if (const std::string model = import_label(text_of(document, "model")); !model.empty())
        row.model = model;
      row.told.emplace_back("by_hand");
      add(row);
    }
  }

  void add(ImportedRow row) {
    row.weight_bytes = weight_bytes_;
    row.measured_utc = measured_utc_;
    if (!file_.empty()) row.file = file_;
    rows_.push_back(std::move(row));
  }

  std::vector<ImportedRow>& rows_;
  int64_t line_;
  Reading<int64_t> weight_bytes_ = Unavailable{"not stated"};
  Reading<std::string> measured_utc_ = Unavailable{"not stated"};
  std::string file_;
};

}  // namespace

Imported read_coreflow(const std::string& text, const std::string& name) {
  Imported imported;
  imported.from = "coreflow";
  LineCounter lines(text);
  for (size_t at = 0; at < text.size();) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    const size_t first = std::min(text.find_first_not_of(" \t", at), line_end);
    size_t end = line_end + 1;
    if (json_may_begin(text, first)) {
      const size_t before = imported.rows.size();
      const json document = json_document(text, first, name, end);
      Records(imported.rows, lines.line_of(first)).take(document);
      imported.parts += imported.rows.size() > before ? 1 : 0;
    } else if (first < line_end) {
      ++imported.skipped_lines;
    }
    if (imported.rows.size() > max_import_rows)
      throw Error(ExitCode::invalid_input,
                  fmt::format("{}: more than {} figures; split the file", name, max_import_rows));
    at = end;
  }
  if (imported.rows.empty())
    throw import_error(name, text, 0,
                       "holds no record of CoreFlow (an object with \"mode\", \"info\" or \"tok_s_runs\"); "
                       "another program's: see --from");
  return imported;
}

}  // namespace harness
