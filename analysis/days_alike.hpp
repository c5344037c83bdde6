// Points of two levels whose sittings had nearly the same read roof: what changed between them is not the
// machine. Pure.
#pragma once
#include <vector>

#include "analysis/level_stretches.hpp"
#include "analysis/regression.hpp"

namespace analysis {

/// Points of two stretches, as indices into a series, ascending.
struct TwoSides {
  std::vector<size_t> before, after;
};

/// Returns all points of two stretches.
TwoSides sides_of(const Stretch& old, const Stretch& now);

/// Keeps of both stretches the sittings with nearly the same roof, as many as there are with any. Returns
/// empty sides where there are fewer than `least` on one of them.
TwoSides days_alike(const SpeedSeries& series, const Stretch& old, const Stretch& now, size_t least);

/// Returns the values at these points.
std::vector<double> picked(const std::vector<double>& values, const std::vector<size_t>& points);

/// Returns the median read roof of a stretch, bytes/s.
double median_roof(const SpeedSeries& series, const Stretch& stretch);

}  // namespace analysis
