// Where a result goes.
#pragma once
#include <string>

namespace cli {

/// Writes a result to `path`, whole or not at all, unless that is empty; then to stdout. Throws Error(store)
/// when either cannot be written.
void deliver(const std::string& text, const std::string& path);

}  // namespace cli
