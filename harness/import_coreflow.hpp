// What the CoreFlow runtime prints, and the summaries that its author published. docs/import.md, "CoreFlow".
#pragma once
#include <string>

#include "harness/import_rows.hpp"

namespace harness {

/// Reads every record in a text (import_text): JSON or JSONL of its modes (clean, evict_read, evict_write,
/// cold, stage, stream), gates with several of them, and lists of runs. Throws Error(invalid_input), one line
/// with line and byte, for one that is broken or cut short, and when there is none.
Imported read_coreflow(const std::string& text, const std::string& name);

}  // namespace harness
