#include "analysis/crowding.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/interference.hpp"

namespace analysis {

Crowding crowding(const harness::Submission& probed, const std::string& antagonist,
                  const std::string& placement) {
  Crowding found;
  for (const harness::Interference& one : derive_interference(probed)) {
    const auto& ratio = one.time_ratio;
    if (one.antagonist != antagonist || one.placement != placement || !(ratio.low > 0)) continue;
    found.points.push_back({static_cast<double>(one.size_bytes), ratio.median,
                            std::max(std::log(ratio.high / ratio.low) / 2, 0.0)});
  }
  std::sort(found.points.begin(), found.points.end(),
            [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return found;
}

Crowding::Point crowding_at(const Crowding& crowding, double bytes) {
  const auto& points = crowding.points;
  if (points.empty()) return {bytes, 1, 0};
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.bytes >= bytes; });
  Crowding::Point at = above == points.end() ? points.back() : *above;
  if (above != points.end() && above != points.begin()) {
    const Crowding::Point& below = *(above - 1);
    const double part = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
    at.time_ratio = below.time_ratio * std::pow(above->time_ratio / below.time_ratio, part);
    at.log_width = std::max(below.log_width, above->log_width);
  }
  return {bytes, std::max(at.time_ratio, 1.0), at.log_width};
}

}  // namespace analysis
