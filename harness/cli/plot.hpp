// A small picture of a curve over working-set sizes.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "harness/cli/terminal.hpp"

namespace cli {

/// How the vertical axis runs; the picture says which.
enum class Axis {
  from_zero,  ///< columns that stand on 0: twice as high is twice as much
  logarithm,  ///< points between the powers of two around all values: the same distance is the same factor
};

/// Draws one column of text per size, `rows` (≥ 3) lines high, with values at top and bottom of the axis and
/// sizes below it. Sizes that do not fit beside each other are taken every second, third … one, and the
/// picture says so. Returns an empty text for fewer than four sizes and on a terminal narrower than 40
/// columns. Values must be positive, one per size.
std::string plot(const Terminal& terminal, std::span<const int64_t> sizes_bytes,
                 std::span<const double> values, const std::string& unit, Axis axis, int rows = 8);

}  // namespace cli
