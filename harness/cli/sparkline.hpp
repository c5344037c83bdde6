// A sequence of values in one line of text.
#pragma once
#include <span>
#include <string>

#include "harness/cli/terminal.hpp"

namespace cli {

/// Returns a picture of at most `width` columns, each the median of its share of the values, the lowest value
/// at the bottom and the highest at the top; "" without values. Where all are the same it is a line in the
/// middle.
std::string sparkline(const Terminal& terminal, std::span<const double> values, int width);

}  // namespace cli
