// What other programs published, as values: one row per figure, what the source does not say with the reason.
// docs/import.md.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/error.hpp"

namespace harness {

inline constexpr size_t max_import_bytes = size_t{16} << 20;
inline constexpr size_t max_import_rows = 2000;

/// What the catalogue's CPU could read, against what a row says it read.
struct ImportLimit {
  std::string word;    ///< "possible" | "cache_resident" | "cannot_tell" | "refuted" | "not_checked"
  std::string detail;  ///< the sum, or why there is none
  Reading<double> tokens_per_s = Unavailable{"not checked"};  ///< the most that its caches and memory allow
  bool operator==(const ImportLimit&) const = default;
};

/// One figure of another program. Up to `told` it is what the source says; the rest is judged from that.
struct ImportedRow {
  int64_t line = 1;    ///< of the source, where the row begins
  std::string label;   ///< what the source calls it
  std::string figure;  ///< what it is of: "decode" | "prompt" | "mixed" | "other"
  Reading<std::string> mode = Unavailable{"not stated"};  ///< decode only, one of ours
  Reading<std::string> program = Unavailable{"not stated"};
  Reading<std::string> measured_utc = Unavailable{"not stated"};
  Reading<std::string> cpu = Unavailable{"not stated"};
  bool cpu_by_importer = false;  ///< named by whoever imported it, not by the source
  /// Where the model ran: "CPU", "CPU (CUDA with 0 layers)", or another backend's name.
  Reading<std::string> device = Unavailable{"not stated"};
  Reading<std::string> model = Unavailable{"not stated"};
  Reading<std::string> file = Unavailable{"not stated"};  ///< name of the weights file, without its folders
  Reading<int64_t> weight_bytes = Unavailable{"not stated"};
  Reading<int64_t> parameters = Unavailable{"not stated"};
  Reading<int64_t> threads = Unavailable{"not stated"};
  Reading<int64_t> streams = Unavailable{"not stated"};  ///< texts decoded at once; 1: not batched
  Reading<int64_t> tokens = Unavailable{"not stated"};   ///< of one sample
  Reading<int64_t> repetitions = Unavailable{"not stated"};
  Reading<double> tokens_per_s = Unavailable{"not stated"};
  Reading<double> spread_tokens_per_s = Unavailable{"not stated"};  ///< standard deviation
  Reading<double> time_ns = Unavailable{"not stated"};              ///< of one iteration or token
  std::vector<int64_t> samples_ns;                                  ///< in the source's order
  /// What the source tells of the row: "errored", "aggregate", "fit", "not_finite", "debug_build",
  /// "clock_scaling", "at_depth", "rounded", "by_hand", "alternated".
  std::vector<std::string> told;

  std::vector<std::string> marks;  ///< analysis/import_judgement.hpp
  bool comparable = false;         ///< a decode on a CPU of one text, and nothing speaks against it
  std::map<std::string, std::string> aspects;  ///< evidence level of each, "A" … "D"
  std::string level;                           ///< the lowest of them
  ImportLimit limit;
  bool operator==(const ImportedRow&) const = default;
};

/// All that one file says.
struct Imported {
  std::string from;           ///< "coreflow" | "llama_bench" | "google_benchmark"
  std::string parser = "4";   ///< version of the readers: grows when the same bytes give other rows
  std::string source_sha256;  ///< of the file's bytes
  int64_t source_bytes = 0;
  int64_t parts = 0;          ///< documents and tables found in the file
  int64_t skipped_lines = 0;  ///< that are part of none
  std::vector<ImportedRow> rows;
  std::string level;  ///< the lowest of the rows'
  /// Version of the judgement, and of the catalogue that it used.
  std::string judgement, catalogue_sha256;
  bool operator==(const Imported&) const = default;
};

/// Returns a text of a source as one short line: white space folded, control characters and ill-formed UTF-8
/// left out, of paths the file's name alone, at most `characters`.
std::string import_label(std::string_view text, size_t characters = 128);

/// Returns the part of a path behind its last slash or backslash: folders may name a person.
std::string import_file_name(std::string_view path);

/// Returns a text without the folders of the paths in it: a path begins with a slash, a drive, "~", "." or
/// "..", goes to the end of a text that it begins and else to a blank, or ends as weights do. What Google
/// Benchmark puts behind a path ("/8", "/threads:1") stays. "org/model" is no path.
std::string without_folders(std::string_view text);

/// Returns a whole finite number, or nullopt: spaces around it and thousands' commas are allowed.
std::optional<double> import_number(std::string_view text);

/// Returns a time as documents write it, from "2023-05-21T12:44:49+05:00" and the like; unavailable for one
/// without a zone.
Reading<std::string> import_time(std::string_view text);

/// Decodes a file's bytes to UTF-8 with '\n' ends: drops a BOM, turns UTF-16 (PowerShell's `>`) and CRLF,
/// takes out colours and the "> " of quoted lines, and makes every blank an ASCII one. Throws
/// Error(invalid_input) naming the byte that is neither, and for more than max_import_bytes.
std::string import_text(const std::string& bytes, const std::string& name);

/// Returns an Error(invalid_input) of one line: "NAME: line L, byte B: WHAT".
Error import_error(const std::string& name, std::string_view text, size_t offset, const std::string& what);

/// Returns the line, from 1, in which an offset lies.
int64_t line_of(std::string_view text, size_t offset);

/// Tells it of ascending offsets, and walks through the text once for all of them: a log may hold a million
/// documents.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  int64_t line_of(size_t offset);

 private:
  std::string_view text_;
  size_t counted_ = 0;  ///< bytes
  int64_t line_ = 1;
};

}  // namespace harness
