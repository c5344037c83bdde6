#include "analysis/plausibility_looks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/calibration.hpp"
#include "analysis/derive.hpp"
#include "analysis/eviction.hpp"
#include "analysis/plausibility.hpp"
#include "analysis/test_submission.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/residency.hpp"

namespace analysis {
namespace {

constexpr int64_t mib = 1 << 20;

harness::Series residency() {
  harness::Series series;
  series.probe = "residency";
  series.work_unit = "timed_loads";
  series.sizes_bytes = {mib, 4 * mib};
  series.work_per_sample = {1, 1};
  series.samples_by_size.resize(2);
  for (int64_t i = 0; i < 64; ++i) {
    series.samples_by_size[0].push_back(52 + 26 * (i % 3));
    series.samples_by_size[1].push_back(312 + 26 * (i % 5));
  }
  series.params["places"] = std::string("l2 flushed");
  series.params.merge(
      harness::calibration_params(std::get<harness::ResidencyCalibration>(recomputed_calibration(series))));
  return series;
}

/// Cold from 128 MiB on, by laps and by the looks.
std::vector<harness::Series> eviction() {
  harness::Series series, references;
  series.probe = "eviction";
  references.probe = "eviction_references";
  series.work_unit = references.work_unit = "bytes";
  series.sizes_bytes = {64 * mib, 128 * mib};
  series.samples_by_size = {{49'000, 49'100, 49'200}, {51'000, 51'100, 51'200}};
  series.params = {{"calibrated_by", std::string("residency")},
                   {"lines_per_look", int64_t{32}},
                   {"looks_0", std::string("fgf")},
                   {"looks_1", std::string("000")},
                   {"cold_bytes", 128 * mib}};
  series.work_per_sample.assign(2, 2 * mib);
  references.sizes_bytes = {64 * mib, 128 * mib, 64 * mib, 128 * mib};
  references.work_per_sample.assign(4, 2 * mib);
  references.samples_by_size = {
      {18'000, 18'100, 18'200}, {18'050, 18'150, 18'250}, {48'000, 48'100, 48'200}, {48'050, 48'150, 48'250}};
  return {series, references};
}

harness::Submission with(const std::vector<harness::Series>& all) {
  auto made = test_submission();
  auto& series = made.launches.front().series;
  series.insert(series.end(), all.begin(), all.end());
  return made;
}

std::vector<std::string> codes(const harness::Submission& submission) {
  harness::Submission whole = submission;
  for (harness::Forecast& forecast : whole.forecasts) {
    for (const auto& own : make_forecasts(whole, models::find_shape(forecast.key.model), forecast.key))
      if (own.id == forecast.id) forecast = own;
  }
  whole.derived = derive(whole);
  const std::vector<Finding> findings = check_plausibility(whole);  // and no other rule
  std::vector<std::string> found;
  found.reserve(findings.size());
  for (const auto& finding : findings) found.push_back(finding.code);
  return found;
}

using Codes = std::vector<std::string>;

std::vector<harness::Series> honest() {
  auto all = eviction();
  all.insert(all.begin(), residency());
  return all;
}

TEST(PlausibilityLooks, of_an_honest_document_find_nothing) {
  EXPECT_EQ(std::get<int64_t>(cold_bytes(with(honest()))), 128 * mib);
  EXPECT_EQ(codes(with(honest())), Codes{});
}

TEST(PlausibilityLooks, each_number_of_a_calibration_must_follow_from_the_loads) {
  for (const char* name :
       {"threshold_ticks", "cached_lines", "cached_missed", "flushed_lines", "flushed_missed"}) {
    auto all = honest();
    auto& number = std::get<int64_t>(all[0].params[name]);
    number = std::string(name).ends_with("lines") ? number - 1 : number + 1;
    EXPECT_EQ(codes(with(all)), Codes{"R11"}) << name;
  }
  auto all = honest();
  for (auto& ticks : all[0].samples_by_size[1]) ticks = 60;  // a timer that cannot tell
  EXPECT_EQ(codes(with(all)).front(), "R11");
}

TEST(PlausibilityLooks, a_cold_size_must_follow_from_laps_references_and_looks) {
  auto all = honest();
  all[1].params["cold_bytes"] = 64 * mib;
  EXPECT_EQ(codes(with(all)), Codes{"R11"});
  all = honest();
  all[1].params["looks_1"] = std::string("0g0");
  EXPECT_EQ(codes(with(all)), Codes{"R11"}) << "half of the set was cached in one round";
  all = honest();
  all[2].samples_by_size[2] = all[2].samples_by_size[3] = {90'000, 90'000, 90'000};
  EXPECT_EQ(codes(with(all)), Codes{"R11"}) << "no lap is as slow as these";
}

TEST(PlausibilityLooks, a_threshold_that_the_loads_contradict_is_implausible) {
  auto all = honest();
  all[1].params.erase("calibrated_by");
  all[1].params.merge(harness::calibration_params({200, 128, 0, 64, 0}));
  EXPECT_EQ(codes(with(all)), Codes{});
  all[1].params["threshold_ticks"] = int64_t{40};  // calls every line memory, and so every size cold
  all[1].params["cold_bytes"] = 64 * mib;
  for (auto& laps : all[1].samples_by_size) laps = {51'000, 51'100, 51'200};
  all[1].params["looks_0"] = std::string("000");
  EXPECT_EQ(codes(with(all)), Codes{"P10"});
}

TEST(PlausibilityLooks, the_threshold_of_a_decode_is_held_to_the_same_loads) {
  harness::EvictionEvidence evidence;
  evidence.lap_bytes = mib;
  evidence.laps.assign(2, {1000, 3000, 3000});
  evidence.looks.assign(2, {64, 0});
  const auto decoded = [&](int64_t threshold_ticks) {
    evidence.calibration = harness::ResidencyCalibration{threshold_ticks, 128, 0, 64, 0};
    harness::sum_up(evidence);
    auto made = with({residency()});
    made.launches.back().series.front().params = harness::evidence_params(evidence);
    return made;
  };
  EXPECT_EQ(codes(decoded(200)), Codes{});
  EXPECT_EQ(codes(decoded(40)), Codes{"P10"});
}

}  // namespace
}  // namespace analysis
