// What llama-bench and llama-batched-bench print: JSON, JSONL, SQL, CSV and markdown, old and new, alone or
// among other lines. docs/import.md, "llama-bench".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/import_rows.hpp"
#include "harness/import_tables.hpp"

namespace harness {

/// Reads every document and table in a text (import_text). Throws Error(invalid_input), one line with line
/// and byte, for one that is broken or cut short, and when there is none.
Imported read_llama_bench(const std::string& text, const std::string& name);

/// Makes the row of one record, whose fields are named as in llama-bench's JSON.
ImportedRow llama_bench_row(const ImportRecord& record);

/// Whether a line is the header of a table of theirs.
bool is_llama_bench_table(std::string_view line);

/// Reads the table whose header stands at an offset (pasted_table) as records for llama_bench_row.
std::vector<ImportRecord> llama_bench_table(std::string_view text, size_t offset, const std::string& name,
                                            size_t& end);

/// Renames the cells of a markdown table as the JSON names them; "t/s" is split into mean and spread.
ImportRecord llama_bench_record(const ImportRecord& cells);

}  // namespace harness
