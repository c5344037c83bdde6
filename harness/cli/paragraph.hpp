// Text for people that keeps within the terminal.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"

namespace cli {

/// Returns the text behind its label, broken at blanks so that lines keep within the terminal and stand under
/// each other; ends with a new line. Words longer than a line stay whole.
std::string paragraph(const Terminal& terminal, const std::string& label, const std::string& text);

}  // namespace cli
