// What Google Benchmark prints with --benchmark_format=json. docs/import.md, "Google Benchmark".
#pragma once
#include <string>

#include "harness/import_rows.hpp"

namespace harness {

/// Reads every document in a text (import_text), other lines between them. Aggregates, fits (BigO, RMS),
/// errored and skipped runs are rows that say so. Throws Error(invalid_input), one line with line and byte,
/// for one that is broken or cut short, and when there is none.
Imported read_google_benchmark(const std::string& text, const std::string& name);

}  // namespace harness
