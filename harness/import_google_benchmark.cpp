#include "harness/import_google_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/import_json.hpp"

namespace harness {
namespace {

using nlohmann::json;

/// Returns a member as a number; why not, when it is absent or NaN.
Reading<double> number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return Unavailable{"not stated"};
  if (!found->is_number()) return Unavailable{"not a number"};
  const auto value = found->get<double>();
  if (!std::isfinite(value) || value < 0 || value > 0x1p53)
    return Unavailable{fmt::format("{:g} cannot be", value)};
  return value;
}

Reading<int64_t> whole(const json& object, const char* key) {
  const Reading<double> value = number(object, key);
  if (!available(value)) return std::get<Unavailable>(value);
  if (std::get<double>(value) < 1) return Unavailable{"0 cannot be"};
  return static_cast<int64_t>(std::llround(std::get<double>(value)));
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool truth(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

Reading<double> time_ns(const json& run) {
  static const std::map<std::string, double> units{{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  Reading<double> time = number(run, "real_time");
  if (!available(time)) return time;
  const std::string unit = text_of(run, "time_unit");
  const auto factor = units.find(unit);
  if (factor == units.end()) return Unavailable{"unknown unit of time '" + import_label(unit, 20) + "'"};
  const double ns = std::get<double>(time) * factor->second;
  if (ns > 0x1p53) return Unavailable{fmt::format("{:g} ns cannot be", ns)};
  return ns;
}

/// Returns the name of the counter that holds tokens per second, whatever it is called; null without one.
const char* speed_counter(const json& run) {
  static constexpr std::array names{"tokens_per_second", "tokens_per_s", "tokens/s", "tok/s", "tok_s", "tps"};
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const char* name) { return run.contains(name); });
  return found == names.end() ? nullptr : *found;
}

/// Reads the number behind a word in a benchmark's name, as in "decode/batch:8/threads:2".
Reading<int64_t> named_number(const std::string& name, const std::string& word) {
  const size_t at = name.find(word + ":");
  if (at == std::string::npos) return Unavailable{"not stated"};
  const size_t first = at + word.size() + 1;
  const size_t last = std::min(name.find_first_not_of("0123456789", first), name.size());
  const std::optional<double> value = import_number(std::string_view(name).substr(first, last - first));
  if (!value || *value < 1 || *value > 1e9) return Unavailable{"not stated"};
  return static_cast<int64_t>(*value);
}

/// Before version 1.5 only the name tells an aggregate.
bool named_aggregate(const json& run, const std::string& name) {
  if (run.contains("run_type")) return false;
  static constexpr std::array suffixes{"_mean", "_median", "_stddev", "_cv", "_min", "_max"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](const char* suffix) { return name.ends_with(suffix); });
}

/// Whether a row says how its repetitions spread: its "times" are differences, or ratios without a unit.
bool is_spread(const json& run) {
  const std::string aggregate = text_of(run, "aggregate_name"), name = text_of(run, "name");
  const bool old = named_aggregate(run, name) && (name.ends_with("_stddev") || name.ends_with("_cv"));
  return old || aggregate == "stddev" || aggregate == "cv" || text_of(run, "aggregate_unit") == "percentage";
}

/// What the run says of itself that takes worth from its figure.
std::vector<std::string> told_of(const json& run, const json& context) {
  std::vector<std::string> told;
  const std::string aggregate = text_of(run, "aggregate_name"), name = text_of(run, "name");
  const bool fit =
      aggregate == "BigO" || aggregate == "RMS" || name.ends_with("_BigO") || name.ends_with("_RMS");
  if (fit) {
    told.emplace_back("fit");
  } else if (text_of(run, "run_type") == "aggregate" || !aggregate.empty() || named_aggregate(run, name)) {
    told.emplace_back("aggregate");
  }
  if (truth(run, "error_occurred") || truth(run, "skipped")) told.emplace_back("errored");
  const bool odd = std::any_of(run.begin(), run.end(), [](const json& value) {
    return value.is_string() && value.get_ref<const std::string&>().empty();
  });
  if (odd) told.emplace_back("not_finite");
  if (text_of(context, "library_build_type") == "debug") told.emplace_back("debug_build");
  if (truth(context, "cpu_scaling_enabled")) told.emplace_back("clock_scaling");
  return told;
}

/// A name that speaks of decoding; only then is a counter of tokens one of decode.
bool names_decode(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.find("decode") != std::string::npos || name.find("generat") != std::string::npos;
}

ImportedRow row_of(const json& run, const json& context, int64_t line) {
  ImportedRow row;
  row.line = line;
  const std::string name = text_of(run, "name");
  row.label = import_label(name);
  row.told = told_of(run, context);
  const char* counter = speed_counter(run);
  row.tokens_per_s = Unavailable{"no counter of tokens per second"};
  if (counter != nullptr) row.tokens_per_s = number(run, counter);
  row.figure = counter != nullptr && names_decode(name) ? "decode" : "other";
  if (row.figure == "other") row.mode = Unavailable{"not a decode"};
  const std::string version = text_of(context, "library_version");
  row.program = import_label("Google Benchmark" + (version.empty() ? "" : " " + version));
  row.measured_utc = import_time(text_of(context, "date"));
  row.cpu = Unavailable{"Google Benchmark does not name the CPU"};
  row.device = std::string("CPU");
  row.threads = whole(run, "threads");
  if (!available(row.threads)) row.threads = named_number(name, "threads");  // before version 1.5
  row.streams = named_number(name, "batch");
  if (!available(row.streams)) row.streams = whole(run, "batch");
  if (!available(row.streams) && row.figure == "decode") row.streams = int64_t{1};
  row.weight_bytes = whole(run, "weight_bytes_per_token");
  row.repetitions = whole(run, "repetitions");
  row.time_ns = time_ns(run);
  if (is_spread(run)) {
    row.time_ns = Unavailable{"a spread"};
    if (available(row.tokens_per_s)) row.tokens_per_s = Unavailable{"a spread"};
  }
  return row;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  Imported read() {
    imported_.from = "google_benchmark";
    for (size_t at = 0; at < text_.size();) {
      const size_t line_end = std::min(text_.find('\n', at), text_.size());
      const size_t first = std::min(text_.find_first_not_of(" \t", at), line_end);
      size_t end = line_end + 1;
      if (json_may_begin(text_, first)) {
        take(json_document(text_, first, name_, end), lines_.line_of(first));
      } else if (first < line_end) {
        ++imported_.skipped_lines;
      }
      at = end;
    }
    if (imported_.rows.empty()) {
      throw import_error(name_, text_, 0,
                         "holds no run of Google Benchmark; give it the output of --benchmark_format=json or "
                         "--benchmark_out=FILE (another program's: see --from)");
    }
    return std::move(imported_);
  }

 private:
  void take(const json& document, int64_t line) {
    if (!document.is_object() || !document.contains("benchmarks") || !document["benchmarks"].is_array())
      return;
    static const json none = json::object();
    const auto found = document.find("context");
    const json& context = found != document.end() && found->is_object() ? *found : none;
    ++imported_.parts;
    for (const json& run : document["benchmarks"]) {
      if (!run.is_object() || !run.contains("name")) continue;
      if (imported_.rows.size() >= max_import_rows) {
        throw Error(ExitCode::invalid_input, fmt::format("{}: line {}: more than {} runs; split the file",
                                                         name_, line, max_import_rows));
      }
      imported_.rows.push_back(row_of(run, context, line));
    }
  }

  const std::string& text_;
  const std::string& name_;
  LineCounter lines_{text_};
  Imported imported_;
};

}  // namespace

Imported read_google_benchmark(const std::string& text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace harness
