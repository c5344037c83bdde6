#include "analysis/calibration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace analysis {
namespace {

using harness::ResidencyCalibration;

/// 32 loads of each place, as on a machine whose counter advances by 26.
harness::Series residency() {
  harness::Series series;
  series.probe = "residency";
  series.params["places"] = std::string("l2 llc flushed");
  series.samples_by_size.resize(3);
  for (int64_t i = 0; i < 32; ++i) {
    series.samples_by_size[0].push_back(52 + 26 * (i % 2));
    series.samples_by_size[1].push_back(78 + 26 * (i % 3));
    series.samples_by_size[2].push_back(312 + 26 * (i % 5));
  }
  return series;
}

harness::Launch launch_with(const harness::Series& judged) {
  harness::Launch launch;
  launch.series = {residency(), judged};
  return launch;
}

TEST(Calibration, follows_from_the_loads_and_not_from_what_a_document_states) {
  auto series = residency();
  series.params["threshold_ticks"] = int64_t{100'000};
  const auto found = std::get<ResidencyCalibration>(recomputed_calibration(series));
  EXPECT_GT(found.threshold_ticks, 130);
  EXPECT_LE(found.threshold_ticks, 312);
  EXPECT_EQ(found.cached_lines, 32);
  EXPECT_EQ(found.flushed_lines, 16);
}

TEST(Calibration, is_not_there_when_the_loads_cannot_be_told_apart_or_the_places_are_others) {
  auto series = residency();
  series.samples_by_size[2] = series.samples_by_size[0];
  EXPECT_FALSE(available(recomputed_calibration(series)));
  series = residency();
  series.params["places"] = std::string("l2 flushed");
  EXPECT_FALSE(available(recomputed_calibration(series)));
}

TEST(Calibration, of_a_series_that_names_residency_is_that_of_its_launch) {
  harness::Series judged;
  judged.params["calibrated_by"] = std::string("residency");
  judged.params.merge(harness::calibration_params({1, 128, 0, 64, 0}));  // as a forger would
  const auto launch = launch_with(judged);
  EXPECT_EQ(std::get<ResidencyCalibration>(calibration_of(launch, judged)),
            std::get<ResidencyCalibration>(recomputed_calibration(residency())));
  EXPECT_FALSE(available(calibration_of({}, judged))) << "a launch without residency";
  judged.params.erase("calibrated_by");
  EXPECT_EQ(std::get<ResidencyCalibration>(calibration_of(launch, judged)).threshold_ticks, 1);
}

}  // namespace
}  // namespace analysis
