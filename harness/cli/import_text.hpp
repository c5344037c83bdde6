// The table of another program's results.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/import_rows.hpp"

namespace cli {

/// Returns one line per row: its speed, its evidence level, and what its CPU could do; then the sums that
/// refute rows, and how many may be compared.
std::string import_text(const Terminal& terminal, const harness::Imported& imported);

}  // namespace cli
