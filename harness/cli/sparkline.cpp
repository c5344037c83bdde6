#include "harness/cli/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/statistics.hpp"

namespace cli {

std::string sparkline(const Terminal& terminal, std::span<const double> values, int width) {
  static constexpr std::array<const char*, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> plain{"_", ".", "-", "~", "=", "+", "*", "#"};
  if (values.empty() || width < 1) return "";
  const size_t columns = std::min(values.size(), static_cast<size_t>(width));
  std::vector<double> shown;
  for (size_t i = 0; i < columns; ++i) {
    const size_t first = i * values.size() / columns, end = (i + 1) * values.size() / columns;
    shown.push_back(harness::median(values.subspan(first, end - first)));
  }
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  const double span = *high - *low;
  std::string text;
  for (const double value : shown) {
    const double height = span > 0 ? (value - *low) / span : 0.5;
    const auto level = static_cast<size_t>(std::lround(7 * height));
    text += terminal.utf8 ? blocks[level] : plain[level];
  }
  return text;
}

}  // namespace cli
