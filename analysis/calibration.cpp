#include "analysis/calibration.hpp"

#include <algorithm>
#include <string>

namespace analysis {

using harness::Launch;
using harness::Reading;
using harness::ResidencyCalibration;
using harness::Series;
using harness::Unavailable;

namespace {

std::string text_param(const Series& series, const std::string& name) {
  const auto found = series.params.find(name);
  const auto* text = found == series.params.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text != nullptr ? *text : "";
}

}  // namespace

Reading<ResidencyCalibration> recomputed_calibration(const Series& residency) {
  const auto& ticks = residency.samples_by_size;
  const std::string places = text_param(residency, "places");
  if (places == "l2 flushed" && ticks.size() == 2) return harness::calibrate_residency(ticks[0], ticks[1]);
  if (places == "l2 llc flushed" && ticks.size() == 3)
    return harness::calibrate_residency(harness::in_turn(ticks[0], ticks[1]), ticks[2]);
  return Unavailable{"residency: its places are not those of its samples"};
}

Reading<ResidencyCalibration> calibration_of(const Launch& launch, const Series& series) {
  if (text_param(series, "calibrated_by").empty()) return harness::read_calibration(series.params);
  const auto found = std::find_if(launch.series.begin(), launch.series.end(), [](const Series& each) {
    return each.probe == "residency" && each.status == harness::Status::ok;
  });
  if (found == launch.series.end()) return Unavailable{"residency, which calibrated it, is not there"};
  return recomputed_calibration(*found);
}

const Launch* launch_of(const harness::Submission& submission, const Series& series) {
  for (const Launch& launch : submission.launches) {
    for (const Series& each : launch.series) {
      if (&each == &series) return &launch;
    }
  }
  return nullptr;
}

}  // namespace analysis
