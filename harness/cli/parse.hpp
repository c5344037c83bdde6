// Values on the command line.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace cli {

/// Reads a size with an explicit unit: "16KiB", "1.5 MiB", "20MB" (decimal), "4096" (bytes). Rounds down to a
/// multiple of 512 bytes. Throws Error(usage) for anything else, 0, or less than 512 bytes.
int64_t parse_size(const std::string& text);

/// Reads a size to the byte with an explicit unit, "19.8MB" or "18.9MiB": kB is 1000 bytes and KiB 1024.
/// Throws Error(usage) for anything else and for less than one byte; `what` names the option in the message.
int64_t parse_bytes(const std::string& text, const std::string& what);

/// Reads a rate, "60GB/s" or "500MiB/s", in bytes per second. Throws Error(usage) likewise.
double parse_rate(const std::string& text, const std::string& what);

/// Reads a frequency, "4.2GHz" or "800MHz", in Hz. Throws Error(usage) likewise.
double parse_frequency(const std::string& text, const std::string& what);

/// Reads a time with its unit, "10s", "500ms", "1.5min", in ns. Throws Error(usage) for anything else, for
/// less than 100 ms or more than a day.
int64_t parse_duration_ns(const std::string& text);

/// Reads a share with its sign, "3%", as a ratio (0.03). Throws Error(usage) for anything else, and unless it
/// is above 0 and below 50 %; `what` names the option in the message.
double parse_percent(const std::string& text, const std::string& what);

/// Reads inclusive positions "A:B" with 0 ≤ A ≤ B. Throws Error(usage).
std::pair<int, int> parse_positions(const std::string& text);

}  // namespace cli
