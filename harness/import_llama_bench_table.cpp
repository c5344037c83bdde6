// Tables of llama-bench, llama-batched-bench and llama-sweep-bench, of the script that compares two builds,
// and those that people make of them.
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "harness/import_decimals.hpp"
#include "harness/import_llama_bench.hpp"

namespace harness {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

/// The column of speeds, as llama-bench and those who copy its tables call it.
bool is_speed(const std::string& cell) {
  static const std::vector<std::string> known{"t/s",        "tok/s",         "tokens/s",
                                              "tokens/sec", "tokens/second", "tokens per second"};
  return std::find(known.begin(), known.end(), lower(cell)) != known.end();
}

/// "t/s master": one of several columns of speeds, each of a build.
bool is_speed_of_a_build(const std::string& cell) {
  return lower(cell).starts_with("t/s ");
}

bool is_test(const std::string& cell) {
  return lower(cell) == "test";
}

/// The name of a column as llama-bench prints it; those of compare-llama-bench.py and of people differ.
std::string printed_name(const std::string& cell) {
  static const std::map<std::string, std::string> names{
      {"test", "test"},       {"model", "model"},        {"size", "size"},
      {"params", "params"},   {"backend", "backend"},    {"backends", "backend"},
      {"threads", "threads"}, {"gpu layers", "ngl"},     {"model size [gib]", "model size [gib]"},
      {"cpu", "cpu_info"},    {"num. of par.", "params"}};
  if (is_speed(cell)) return "t/s";
  const auto known = names.find(lower(cell));
  return known == names.end() ? cell : known->second;
}

/// Parts the columns of several builds into a record of each.
std::vector<ImportRecord> renamed(const ImportRecord& cells) {
  ImportRecord shared;
  shared.line = cells.line;
  std::vector<std::pair<std::string, std::string>> builds;
  for (const auto& [cell, text] : cells.fields) {
    if (is_speed_of_a_build(cell)) {
      builds.emplace_back(cell.substr(4), text);
    } else {
      shared.fields[printed_name(cell)] = text;
    }
  }
  if (shared.has("model size [gib]")) shared.fields["size"] = shared["model size [gib]"] + " GiB";
  if (builds.empty() || shared.has("t/s")) return {shared};
  std::vector<ImportRecord> records(builds.size(), shared);
  for (size_t i = 0; i < builds.size(); ++i) {
    records[i].fields["build"] = builds[i].first;
    records[i].fields["t/s"] = builds[i].second;
  }
  return records;
}

}  // namespace

bool is_llama_bench_table(std::string_view line) {
  if (line.find("t/s") == std::string_view::npos && line.find_first_of("tT") == std::string_view::npos)
    return false;
  const std::vector<std::string> cells = split_table_line(line);
  const auto any = [&cells](const auto& is) { return std::any_of(cells.begin(), cells.end(), is); };
  const auto holds = [&cells](const char* name) {
    return std::find(cells.begin(), cells.end(), name) != cells.end();
  };
  return (any(is_test) && (any(is_speed) || any(is_speed_of_a_build))) || (holds("TG") && holds("S_TG t/s"));
}

std::vector<ImportRecord> llama_bench_table(std::string_view text, size_t offset, const std::string& name,
                                            size_t& end) {
  std::vector<ImportRecord> records;
  for (const ImportRecord& cells : pasted_table(text, offset, name, end)) {
    for (ImportRecord& record : renamed(cells)) records.push_back(std::move(record));
  }
  for (const char* key : {"t/s", "size", "params", "S_TG t/s"}) {
    std::vector<std::string*> column;
    for (ImportRecord& record : records) {
      if (record.has(key)) column.push_back(&record.fields[key]);
    }
    make_plain(column);
  }
  for (ImportRecord& record : records) record = llama_bench_record(record);
  return records;
}

}  // namespace harness
