// A table as Markdown.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"

namespace cli {

/// Returns the table in GitHub's form, its columns aligned as on a terminal; bars within cells are escaped.
std::string to_markdown(const Table& table);

}  // namespace cli
