#include "analysis/interference.hpp"

#include <gtest/gtest.h>

#include "analysis/derive.hpp"

namespace analysis {
namespace {

/// Eight rounds over two sets; the machine gets slower by a tenth per round, which no ratio may show.
harness::Series make_series(const std::string& antagonist, double small, double large,
                            const std::string& placement = "same_llc") {
  harness::Series series;
  series.probe = "interference";
  series.placement = placement;
  series.params["antagonist"] = antagonist;
  series.sizes_bytes = {512 << 10, 8 << 20};
  series.work_per_sample = {1 << 30, 1 << 30};
  series.work_unit = "bytes";
  series.samples_by_size.resize(2);
  for (int round = 0; round < 8; ++round) {
    const double idle_ns = 2e6 * (1 + 0.1 * round), wobble = round % 2 == 0 ? 1.01 : 1 / 1.01;
    series.samples_by_size[0].push_back(static_cast<int64_t>(idle_ns * small * wobble));
    series.samples_by_size[1].push_back(static_cast<int64_t>(idle_ns * large));
  }
  return series;
}

harness::Submission make_submission(std::vector<harness::Series> series) {
  harness::Submission made;
  harness::Launch launch;
  launch.purpose = "probes";
  launch.series = std::move(series);
  made.launches = {launch};
  return made;
}

TEST(interference, is_the_ratio_of_neighbouring_samples_to_idle) {
  const auto found =
      derive_interference(make_submission({make_series("idle", 1, 1), make_series("stream_llc", 1.2, 1.5)}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].antagonist, "stream_llc");
  EXPECT_EQ(found[0].placement, "same_llc");
  EXPECT_EQ(found[0].size_bytes, 512 << 10);
  EXPECT_EQ(found[0].samples, 8);
  EXPECT_NEAR(found[0].time_ratio.median, 1.2, 1e-3);
  EXPECT_EQ(found[1].size_bytes, 8 << 20);
  EXPECT_NEAR(found[1].time_ratio.median, 1.5, 1e-3);
  EXPECT_NEAR(found[1].time_ratio.low, 1.5, 1e-3);
}

TEST(interference, controls_share_their_chance_of_failing) {
  auto noisy = make_series("idle_again", 1, 1);
  noisy.samples_by_size[0][0] *= 2;
  const auto alone = derive_interference(make_submission({make_series("idle", 1, 1), noisy}));
  auto spin = noisy;
  spin.params["antagonist"] = std::string("spin");
  const auto as_spin = derive_interference(make_submission({make_series("idle", 1, 1), spin}));
  EXPECT_LT(alone[0].time_ratio.low, as_spin[0].time_ratio.low);
  EXPECT_GT(alone[0].time_ratio.high, as_spin[0].time_ratio.high);
}

TEST(interference, holds_each_place_against_its_own_idle) {
  const auto found = derive_interference(
      make_submission({make_series("idle", 1, 1, "sibling"), make_series("idle", 2, 2, "same_llc"),
                       make_series("spin", 2, 2, "same_llc"), make_series("spin", 2, 2, "other_llc")}));
  ASSERT_EQ(found.size(), 2U);  // other_llc has none
  EXPECT_EQ(found[0].placement, "same_llc");
  EXPECT_NEAR(found[0].time_ratio.median, 1, 1e-3);
}

TEST(interference, of_a_series_that_failed_or_did_other_work_is_none) {
  auto failed = make_series("spin", 2, 2), other = make_series("own_l1", 2, 2);
  failed.status = harness::Status::failed;
  other.work_per_sample[0] += 512;
  auto impossible = make_series("stream_dram", 2, 2);
  impossible.samples_by_size[0][3] = 0;
  const auto found =
      derive_interference(make_submission({make_series("idle", 1, 1), failed, other, impossible}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].size_bytes, 8 << 20);
}

TEST(interference, is_part_of_what_is_derived) {
  const auto made = make_submission({make_series("idle", 1, 1), make_series("spin", 1, 1)});
  EXPECT_EQ(derive(made).interference.size(), 2U);
  EXPECT_TRUE(derive(harness::Submission{}).interference.empty());
}

}  // namespace
}  // namespace analysis
