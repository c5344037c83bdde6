#include "analysis/days_alike.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/speed_beside_roof.hpp"

namespace analysis {
namespace {

std::vector<size_t> points_of(const Stretch& stretch) {
  std::vector<size_t> points(stretch.count());
  std::iota(points.begin(), points.end(), stretch.first);
  return points;
}

}  // namespace

TwoSides sides_of(const Stretch& old, const Stretch& now) {
  return {points_of(old), points_of(now)};
}

TwoSides days_alike(const SpeedSeries& series, const Stretch& old, const Stretch& now, size_t least) {
  TwoSides best;
  size_t most = 0;
  for (size_t day = old.first; day < now.end; ++day) {
    const double roof = series.points[day].roof_bytes_per_s;
    const auto alike = [&](const Stretch& stretch) {
      std::vector<size_t> kept;
      for (size_t i = stretch.first; i < stretch.end; ++i) {
        if (std::abs(series.points[i].roof_bytes_per_s / roof - 1) <= moved_roof_ratio / 2) kept.push_back(i);
      }
      return kept;
    };
    std::vector<size_t> of_old = alike(old), of_now = alike(now);
    const size_t fewer = std::min(of_old.size(), of_now.size());
    if (fewer < least || fewer <= most) continue;
    most = fewer;
    best = {std::move(of_old), std::move(of_now)};
  }
  return best;
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<size_t>& points) {
  std::vector<double> kept;
  kept.reserve(points.size());
  for (const size_t point : points) kept.push_back(values[point]);
  return kept;
}

double median_roof(const SpeedSeries& series, const Stretch& stretch) {
  std::vector<double> roofs;
  roofs.reserve(stretch.count());
  for (size_t i = stretch.first; i < stretch.end; ++i) roofs.push_back(series.points[i].roof_bytes_per_s);
  return harness::median(roofs);
}

}  // namespace analysis
