#include "harness/cli/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cli {
namespace {

constexpr size_t least_sizes = 4;
constexpr int least_columns = 40, label_width = 9;
constexpr int eighths = 8;

/// Heights of a row that block characters can show.
const char* const blocks[eighths + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct Scale {
  double bottom = 0, top = 0;
  Axis axis = Axis::from_zero;
  /// Returns where a value lies between bottom (0) and top (1).
  [[nodiscard]] double place(double value) const {
    if (axis == Axis::from_zero) return value / top;
    return std::log2(value / bottom) / std::log2(top / bottom);
  }
};

Scale scale_of(const std::vector<double>& values, Axis axis) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (axis == Axis::from_zero) return {0, *most, axis};
  const double bottom = std::exp2(std::floor(std::log2(*least))),
               top = std::exp2(std::ceil(std::log2(*most)));
  return {bottom, top > bottom ? top : 2 * bottom, axis};
}

/// Returns the text of one cell: how much of row `row` (0 is the lowest of `rows`) a column or point fills.
std::string cell(const Terminal& terminal, const Scale& scale, double value, int row, int rows) {
  const double height = scale.place(value) * rows - row;
  if (scale.axis == Axis::logarithm) {
    const bool here = std::min(static_cast<int>(scale.place(value) * rows), rows - 1) == row;
    return here ? (terminal.utf8 ? "•" : "*") : " ";
  }
  if (!terminal.utf8) return height >= 0.5 ? "#" : " ";
  return blocks[std::clamp(static_cast<int>(std::lround(height * eighths)), 0, eighths)];
}

/// Returns the line of sizes below the axis: as many as fit, each beginning under its column.
std::string size_line(const std::vector<int64_t>& sizes_bytes) {
  std::string line;
  for (size_t i = 0; i < sizes_bytes.size(); ++i) {
    const std::string text = format_bytes(static_cast<double>(sizes_bytes[i]));
    const bool fits = i + text.size() <= sizes_bytes.size() || i == 0;
    if (!fits || (!line.empty() && line.size() + 2 > i)) continue;
    line += std::string(i - line.size(), ' ') + text;
  }
  return line;
}

}  // namespace

std::string plot(const Terminal& terminal, std::span<const int64_t> sizes_bytes,
                 std::span<const double> values, const std::string& unit, Axis axis, int rows) {
  if (sizes_bytes.size() < least_sizes || terminal.columns < least_columns) return "";
  const auto room = static_cast<size_t>(terminal.columns - label_width - 2);
  const size_t step = (sizes_bytes.size() + room - 1) / room;
  std::vector<int64_t> sizes;
  std::vector<double> shown;
  for (size_t i = 0; i < sizes_bytes.size(); i += step) {
    sizes.push_back(sizes_bytes[i]);
    shown.push_back(values[i]);
  }
  const Scale scale = scale_of(shown, axis);
  std::string text = fmt::format("{:>{}} {}{}{}\n", unit, label_width, "",
                                 axis == Axis::logarithm ? "(logarithmic axis)" : "(axis from 0)",
                                 step > 1 ? fmt::format(", one of {} sizes", step) : "");
  for (int row = rows - 1; row >= 0; --row) {
    const std::string label = row == rows - 1 ? fmt::format("{:.3g}", scale.top)
                              : row == 0      ? fmt::format("{:.3g}", scale.bottom)
                                              : "";
    std::string line = fmt::format("{:>{}} {}", label, label_width, terminal.utf8 ? "│" : "|");
    for (const double value : shown) line += cell(terminal, scale, value, row, rows);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text + std::string(label_width + 2, ' ') + size_line(sizes) + "\n";
}

}  // namespace cli
