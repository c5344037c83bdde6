#include "harness/cli/interval_bars.hpp"

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using harness::Interval;

bool can_be_drawn(const std::optional<Interval>& interval) {
  return interval && interval->low > 0 && std::isfinite(interval->high) && interval->high >= interval->low;
}

struct Strokes {
  const char *left, *line, *point, *right;
};

std::string draw(const Strokes& strokes, int first, int point, int last) {
  std::string text(static_cast<size_t>(first), ' ');
  for (int at = first; at <= last; ++at) {
    text += at == point   ? strokes.point
            : at == first ? strokes.left
            : at == last  ? strokes.right
                          : strokes.line;
  }
  return text;
}

}  // namespace

std::vector<std::string> interval_bars(const Terminal& terminal,
                                       const std::vector<std::optional<Interval>>& intervals, int width) {
  constexpr int least_width = 12;
  std::vector<std::string> bars(intervals.size());
  double low = 0, high = 0;
  for (const auto& interval : intervals) {
    if (!can_be_drawn(interval)) continue;
    low = low > 0 ? std::min(low, interval->low) : interval->low;
    high = std::max(high, interval->high);
  }
  if (width < least_width || low <= 0) return bars;
  const double range = std::max(std::log(high / low), 1e-9);
  const auto column = [&](double value) {
    const double share = std::clamp(std::log(value / low) / range, 0.0, 1.0);
    return static_cast<int>(std::lround(share * (width - 1)));
  };
  const Strokes strokes = terminal.utf8 ? Strokes{"├", "─", "●", "┤"} : Strokes{"|", "-", "o", "|"};
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (!can_be_drawn(intervals[i])) continue;
    bars[i] =
        draw(strokes, column(intervals[i]->low), column(intervals[i]->median), column(intervals[i]->high));
  }
  return bars;
}

}  // namespace cli
