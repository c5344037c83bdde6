// A sequence as stretches at one level each, and whether a line would tell it better. Pure functions.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/change_points.hpp"

namespace analysis {

/// A stretch of points at one level.
struct Stretch {
  size_t first = 0, end = 0;
  double level = 0;  ///< median of its logs
  [[nodiscard]] size_t count() const { return end - first; }
};

/// Returns the stretches between changes.
std::vector<Stretch> stretches_of(std::span<const double> logs, const std::vector<ChangePoint>& changes);

/// Joins neighbours whose levels differ by less than `least`, the nearest first.
std::vector<Stretch> joined(std::span<const double> logs, std::vector<Stretch> stretches, double least);

/// Returns the values of a stretch.
std::span<const double> part(std::span<const double> logs, const Stretch& stretch);

/// Returns the deviation of values from their stretch's level.
double scatter(std::span<const double> logs, const std::vector<Stretch>& stretches);

/// Whether a line tells the values from `first` on better than the levels of their stretches do: by the
/// information criterion of Schwarz (1978) with Laplace's distribution, so that more levels have to pay.
bool line_is_better(std::span<const double> logs, size_t first, const std::vector<Stretch>& stretches,
                    const Trend& trend);

}  // namespace analysis
