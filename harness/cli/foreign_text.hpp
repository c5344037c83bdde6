// Text of others (documents, file names, other programs) on our terminal.
#pragma once
#include <string>
#include <string_view>

namespace cli {

/// Returns the text in one line: control characters of C0, DEL and C1 (in UTF-8), which could drive a
/// terminal or end the line, those that turn the text around them, and those without width are question
/// marks.
std::string one_line(std::string_view text);

}  // namespace cli
