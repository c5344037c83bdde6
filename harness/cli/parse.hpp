// Values on the command line.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace cli {

/// Reads a size with an explicit unit: "16KiB", "1.5 MiB", "20MB" (decimal), "4096" (bytes). Rounds down to a
/// multiple of 512 bytes. Throws Error(usage) for anything else, 0, or less than 512 bytes.
int64_t parse_size(const std::string& text);

/// Reads inclusive positions "A:B" with 0 ≤ A ≤ B. Throws Error(usage).
std::pair<int, int> parse_positions(const std::string& text);

}  // namespace cli
