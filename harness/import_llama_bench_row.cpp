// One record of llama-bench as a row.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "harness/import_decimals.hpp"
#include "harness/import_llama_bench.hpp"

namespace harness {
namespace {

Reading<double> amount(const ImportRecord& record, const std::string& key) {
  if (!record.has(key)) return Unavailable{"not stated"};
  const std::optional<double> value = import_number(record[key]);
  if (!value) return Unavailable{"no number: " + import_label("'" + record[key] + "'", 60)};
  if (*value < 0 || *value > 0x1p53) return Unavailable{fmt::format("{:g} cannot be", *value)};
  return *value;
}

Reading<int64_t> count(const ImportRecord& record, const std::string& key) {
  const Reading<double> value = amount(record, key);
  if (!available(value)) return std::get<Unavailable>(value);
  return static_cast<int64_t>(std::llround(std::get<double>(value)));
}

/// Returns a count that is at least 1.
Reading<int64_t> positive(const ImportRecord& record, const std::string& key) {
  Reading<int64_t> value = count(record, key);
  if (available(value) && std::get<int64_t>(value) < 1) return Unavailable{"0 cannot be"};
  return value;
}

Reading<std::string> words(const ImportRecord& record, const std::string& key) {
  const std::string text = import_label(record[key]);
  if (text.empty()) return Unavailable{"not stated"};
  return text;
}

bool yes(const std::string& flag) {
  return flag == "true" || flag == "1";
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Whether a backend of ggml computes on the CPU: matrix libraries and instructions do.
bool is_cpu_backend(const std::string& label) {
  static constexpr std::array names{"cpu", "blas", "openblas", "mkl", "blis", "amx", "zendnn", "kleidiai"};
  return std::find(names.begin(), names.end(), lower(label)) != names.end();
}

/// Returns the accelerators that a record names, "" for none; unavailable when it names no backend at all.
Reading<std::string> accelerators(const ImportRecord& record) {
  const std::string backends = record.has("backends") ? record["backends"] : record["backend"];
  std::string named;
  const auto add = [&named](std::string_view name) {
    const std::string label = import_label(name, 60);
    if (label.empty() || is_cpu_backend(label) || named.size() > 40) return;
    named += (named.empty() ? "" : ",") + label;
  };
  if (!backends.empty()) {
    for (size_t at = 0; at <= backends.size();) {
      const size_t comma = std::min(backends.find_first_of(",+", at), backends.size());
      add(std::string_view(backends).substr(at, comma - at));
      at = comma + 1;
    }
    return named;
  }
  // Before build 3900 or so each backend had a column of its own.
  static constexpr std::array flags{"cuda", "hip", "metal", "vulkan", "opencl", "kompute", "sycl"};
  bool told = false;
  for (const char* flag : flags) {
    told = told || record.has(flag);
    if (yes(record[flag])) add(flag);
  }
  if (yes(record["gpu_blas"]) && named.empty()) add("gpu_blas");
  if (!told) return Unavailable{"no backend stated"};
  return named;
}

/// Without layers on it, an accelerator takes no part in the decode of one text.
Reading<std::string> device_of(const ImportRecord& record) {
  Reading<std::string> found = accelerators(record);
  if (!available(found)) return found;
  const std::string& named = std::get<std::string>(found);
  if (named.empty()) return std::string("CPU");
  if (import_number(record["n_gpu_layers"]) == 0.0) return fmt::format("CPU ({} with 0 layers)", named);
  if (record["devices"] == "none") return fmt::format("CPU ({} switched off)", named);
  return named;
}

/// "pp512", "tg 128", "pp512+tg128", "tg128 @ d4096" as the numbers of the JSON.
void read_test(ImportRecord& record) {
  std::string test;
  for (const char c : record["test"].substr(0, 60)) {
    if (c != ' ') test += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  int prompt = 0, generated = 0, depth = 0, used = 0;
  std::string_view rest = test;
  if (std::sscanf(test.c_str(), "pp%8d%n", &prompt, &used) == 1)
    rest.remove_prefix(static_cast<size_t>(used));
  if (rest.starts_with("+")) rest.remove_prefix(1);
  used = 0;
  if (std::sscanf(std::string(rest).c_str(), "tg%8d%n", &generated, &used) == 1)
    rest.remove_prefix(static_cast<size_t>(used));
  if (std::sscanf(std::string(rest).c_str(), "@d%8d", &depth) == 1 ||
      std::sscanf(std::string(rest).c_str(), "@pp%8d", &depth) == 1)
    record.fields["n_depth"] = std::to_string(depth);
  record.fields["n_prompt"] = std::to_string(std::max(prompt, 0));
  record.fields["n_gen"] = std::to_string(std::max(generated, 0));
}

/// The CPU among the devices that builds of 2024 and later list: a matrix library is one, too, and goes
/// before or behind it ("OpenBLAS, AMD Ryzen 9 7950X").
std::string without_libraries(const std::string& devices) {
  static constexpr std::array libraries{"accelerate", "blas", "blis", "intel mkl", "nvpl", "openblas"};
  std::string kept;
  for (size_t at = 0; at <= devices.size();) {
    const size_t comma = std::min(devices.find(',', at), devices.size());
    const std::string device = import_label(std::string_view(devices).substr(at, comma - at));
    const bool library = std::find(libraries.begin(), libraries.end(), lower(device)) != libraries.end() ||
                         lower(device).starts_with("zendnn");
    if (!library && !device.empty()) kept += (kept.empty() ? "" : ", ") + device;
    at = comma + 1;
  }
  return kept;
}

/// "2.79 GiB" or "1.24 B" in bytes or parameters; "" for what is none.
std::string scaled(const std::string& text) {
  static const std::map<std::string, double> units{{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                                                   {"TiB", 0x1p40}, {"K", 1e3},      {"M", 1e6},
                                                   {"B", 1e9},      {"T", 1e12}};
  const std::string_view number = number_at(text);
  const std::optional<double> value = import_number(number);
  const auto unit = units.find(import_label(std::string_view(text).substr(number.size())));
  if (!value || unit == units.end() || *value < 0 || *value * unit->second > 0x1p53) return "";
  return fmt::format("{:.0f}", *value * unit->second);
}

std::string figure_of(const ImportRecord& record) {
  const double prompt = import_number(record["n_prompt"]).value_or(0);
  const double generated = import_number(record["n_gen"]).value_or(0);
  if (prompt > 0) return generated > 0 ? "mixed" : "prompt";
  return generated > 0 ? "decode" : "other";
}

std::string label_of(const ImportRecord& record) {
  if (record.has("test")) return import_label(record["test"], 60);
  std::string label;
  for (const auto& [key, mark] : {std::pair{"n_prompt", "pp"}, std::pair{"n_gen", "tg"}}) {
    const std::optional<double> tokens = import_number(record[key]);
    if (tokens && *tokens > 0 && *tokens < 1e9)
      label += fmt::format("{}{}{:.0f}", label.empty() ? "" : "+", mark, *tokens);
  }
  const std::optional<double> depth = import_number(record["n_depth"]);
  if (depth && *depth > 0 && *depth < 1e9) label += fmt::format(" @ d{:.0f}", *depth);
  return label;
}

void set_program(const ImportRecord& record, ImportedRow& row) {
  if (record.has("build")) row.program = import_label("llama.cpp " + record["build"]);
  if (record["build_commit"].empty()) return;
  row.program =
      import_label(fmt::format("llama.cpp build {} ({})", record["build_commit"], record["build_number"]));
}

/// "CPU" is what llama-bench says where the system does not name its processor.
void set_machine(const ImportRecord& record, ImportedRow& row) {
  const std::string cpu = without_libraries(record["cpu_info"]);
  row.cpu = Unavailable{"not stated"};
  if (!cpu.empty()) row.cpu = cpu;
  if (row.cpu == Reading<std::string>("CPU")) row.cpu = Unavailable{"the source says only 'CPU'"};
  row.device = device_of(record);
  row.threads = positive(record, "n_threads");
  row.streams = record.has("streams") ? positive(record, "streams") : Reading<int64_t>(int64_t{1});
}

/// A number with its spread, if any: "12.50 ± 0.10", also where the ± was read in another encoding.
void read_speed(const std::string& cell, ImportRecord& record) {
  const size_t between = std::min({cell.find("±"), cell.find("+/-"), cell.find("+-"), cell.size()});
  const std::string left = import_label(std::string_view(cell).substr(0, between));
  const std::string_view number = number_at(left);
  const std::string behind = import_label(std::string_view(left).substr(number.size()), 4);
  // Behind it may stand a unit or a remark; another number, or the second half of a range, is no unit.
  const bool another = behind.find_first_of("0123456789-?/:.,*") == 0 || behind.starts_with("–");
  const bool whole = !number.empty() && !another;
  record.fields["avg_ts"] = whole ? std::string(number) : left;
  const size_t spread = cell.find_first_of("0123456789", between);
  if (spread != std::string::npos)
    record.fields["stddev_ts"] = number_at(std::string_view(cell).substr(spread));
}

}  // namespace

ImportRecord llama_bench_record(const ImportRecord& cells) {
  static const std::map<std::string, std::string> names{{"model", "model_type"},
                                                        {"backend", "backends"},
                                                        {"ngl", "n_gpu_layers"},
                                                        {"dev", "devices"},
                                                        {"cpu_info", "cpu_info"},
                                                        {"build", "build"},
                                                        {"threads", "n_threads"},
                                                        {"S_TG t/s", "speed_tg"},
                                                        {"TG", "tg"},
                                                        {"PP", "pp"},
                                                        {"B", "pl"},
                                                        {"N_KV", "n_kv"},
                                                        {"n_gpu_layers", "n_gpu_layers"},
                                                        {"test", "test"}};
  ImportRecord record;
  record.line = cells.line;
  record.fields["rounded"] = "true";
  for (const auto& [cell, text] : cells.fields) {
    if (const auto name = names.find(cell); name != names.end()) record.fields[name->second] = text;
  }
  if (cells.has("size") && !scaled(cells["size"]).empty())
    record.fields["model_size"] = scaled(cells["size"]);
  if (cells.has("params") && !scaled(cells["params"]).empty())
    record.fields["model_n_params"] = scaled(cells["params"]);
  if (cells.has("t/s")) read_speed(cells["t/s"], record);
  if (record.has("test")) read_test(record);
  if (record.has("speed_tg")) {
    record.fields["n_prompt"] = "0";
    record.fields["n_gen"] = record["tg"];
    record.fields["avg_ts"] = record["speed_tg"];
    if (record.has("pl")) {
      record.fields["n_depth"] = record["pp"];
      record.fields["streams"] = record["pl"];
    } else {  // llama-sweep-bench: one text, at a depth of its own
      record.fields["n_depth"] = record["n_kv"];
    }
  }
  return record;
}

ImportedRow llama_bench_row(const ImportRecord& record) {
  ImportedRow row;
  row.line = record.line;
  row.label = label_of(record);
  row.figure = figure_of(record);
  if (row.figure == "decode") row.mode = std::string("warm");  // token after token, nothing evicted between
  if (row.figure != "decode") row.mode = Unavailable{"not a decode"};
  set_program(record, row);
  if (record.has("test_time")) row.measured_utc = import_time(record["test_time"]);
  set_machine(record, row);
  row.model = words(record, "model_type");
  if (const std::string file = import_file_name(record["model_filename"]); !file.empty()) row.file = file;
  row.weight_bytes = positive(record, "model_size");
  row.parameters = positive(record, "model_n_params");
  if (row.figure == "decode") row.tokens = positive(record, "n_gen");
  row.tokens_per_s = amount(record, "avg_ts");
  row.spread_tokens_per_s = amount(record, "stddev_ts");
  row.samples_ns = record.samples_ns;
  if (row.samples_ns.size() > 1000) row.samples_ns.clear();
  if (!row.samples_ns.empty()) row.repetitions = static_cast<int64_t>(row.samples_ns.size());
  if (record.has("rounded")) row.told.emplace_back("rounded");
  if (import_number(record["n_depth"]).value_or(0) > 0) row.told.emplace_back("at_depth");
  return row;
}

}  // namespace harness
