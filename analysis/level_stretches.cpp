#include "analysis/level_stretches.hpp"

#include <algorithm>
#include <cmath>

namespace analysis {

std::vector<Stretch> stretches_of(std::span<const double> logs, const std::vector<ChangePoint>& changes) {
  std::vector<Stretch> stretches;
  size_t first = 0;
  for (size_t i = 0; i <= changes.size(); ++i) {
    const size_t end = i < changes.size() ? changes[i].at : logs.size();
    stretches.push_back({first, end, harness::median(logs.subspan(first, end - first))});
    first = end;
  }
  return stretches;
}

std::vector<Stretch> joined(std::span<const double> logs, std::vector<Stretch> stretches, double least) {
  while (stretches.size() > 1) {
    size_t nearest = 0;
    const auto distance = [&](size_t i) { return std::abs(stretches[i + 1].level - stretches[i].level); };
    for (size_t i = 1; i + 1 < stretches.size(); ++i) {
      if (distance(i) < distance(nearest)) nearest = i;
    }
    if (distance(nearest) >= least) break;
    Stretch& both = stretches[nearest];
    both.end = stretches[nearest + 1].end;
    both.level = harness::median(logs.subspan(both.first, both.count()));
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  }
  return stretches;
}

std::span<const double> part(std::span<const double> logs, const Stretch& stretch) {
  return logs.subspan(stretch.first, stretch.count());
}

double scatter(std::span<const double> logs, const std::vector<Stretch>& stretches) {
  std::vector<double> rest;
  rest.reserve(logs.size());
  for (const Stretch& stretch : stretches) {
    for (const double value : part(logs, stretch)) rest.push_back(value - stretch.level);
  }
  return robust_deviation(rest);
}

bool line_is_better(std::span<const double> logs, size_t first, const std::vector<Stretch>& stretches,
                    const Trend& trend) {
  double to_line = 0, to_levels = 0, levels = 0;
  for (const Stretch& stretch : stretches) {
    levels += stretch.end > first ? 1 : 0;
    for (size_t i = std::max(first, stretch.first); i < stretch.end; ++i) {
      to_levels += std::abs(logs[i] - stretch.level);
      to_line += std::abs(logs[i] - trend.level_at_start - trend.per_step * static_cast<double>(i - first));
    }
  }
  const auto n = static_cast<double>(logs.size() - first);
  const auto criterion = [&](double misfit, double parameters) {
    return 2 * n * std::log(misfit / n) + parameters * std::log(n);
  };
  return to_levels > 0 && criterion(to_line, 2) < criterion(to_levels, 2 * levels - 1);
}

}  // namespace analysis
