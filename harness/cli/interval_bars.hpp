// A small picture of intervals beside each other.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/terminal.hpp"
#include "harness/statistics.hpp"

namespace cli {

/// Draws each interval on one logarithmic axis (equal steps are equal factors) of `width` columns that begins
/// at the lowest and ends at the highest end: "   ├──●───┤  ", ASCII where the locale wants it. Returns one
/// text per interval; "" for those that are none, are not positive, and for all on an axis of fewer than 12
/// columns.
std::vector<std::string> interval_bars(const Terminal& terminal,
                                       const std::vector<std::optional<harness::Interval>>& intervals,
                                       int width);

}  // namespace cli
