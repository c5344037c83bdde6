// Text of others (documents, file names, other programs) on our terminal.
#pragma once
#include <string>
#include <string_view>

namespace cli {

/// Returns the text in one line: control characters of C0, DEL and C1 (in UTF-8), which could drive a
/// terminal or end the line, are question marks; so are characters that nobody sees or that turn the order of
/// others (Unicode's bidirectional controls and default ignorables).
std::string one_line(std::string_view text);

/// Returns the same with everything that means something to Markdown, as GitHub has it, or to HTML taken out
/// of it: no links, images, code, emphasis, tags, mentions, references to issues, nor columns of a table.
std::string markdown_safe(std::string_view text);

}  // namespace cli
