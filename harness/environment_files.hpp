// Small facts from /proc, /sys and /etc below a root.
#pragma once
#include <optional>
#include <string>

namespace harness {

/// Returns the text of a file, or nullopt when it cannot be read.
std::optional<std::string> read_text_file(const std::string& path);
/// Returns its first line without blanks at the end, or nullopt when there is none.
std::optional<std::string> read_first_line(const std::string& path);
/// Returns the number behind `key` ("MemTotal:", "avg10=") in a text, or nullopt. The key must start a word.
std::optional<double> number_after(const std::string& text, const std::string& key);
bool path_exists(const std::string& path);

}  // namespace harness
