#include "analysis/crowding.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

harness::Series series(const char* antagonist, std::vector<int64_t> sizes,
                       std::vector<std::vector<int64_t>> samples) {
  harness::Series made;
  made.probe = "interference";
  made.placement = "same_llc";
  made.params["antagonist"] = std::string(antagonist);
  made.work_unit = "bytes";
  made.work_per_sample = sizes;
  made.sizes_bytes = std::move(sizes);
  made.samples_by_size = std::move(samples);
  return made;
}

harness::Submission probed() {
  harness::Submission made;
  made.launches.emplace_back();
  made.launches[0].purpose = "probes";
  made.launches[0].series = {
      series("idle", {1 << 20, 4 << 20}, {{100, 100, 100}, {400, 400, 400}}),
      series("spin", {1 << 20}, {{101, 101, 101}}),
      series("evict_read", {1 << 20, 4 << 20}, {{100, 100, 100}, {800, 800, 800}}),
      series("evict_write", {1 << 20, 4 << 20}, {{90, 90, 90}, {400, 400, 400}}),
  };
  return made;
}

TEST(Crowding, is_the_ratio_of_times_between_sets_on_logarithmic_axes) {
  const Crowding read = crowding(probed(), "evict_read", "same_llc");
  ASSERT_EQ(read.points.size(), 2u);
  EXPECT_NEAR(crowding_at(read, 2 << 20).time_ratio, std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(crowding_at(read, 1e3).time_ratio, 1, 1e-9);
  EXPECT_NEAR(crowding_at(read, 1e12).time_ratio, 2, 1e-9);
}

TEST(Crowding, never_helps) {
  EXPECT_EQ(crowding_at(crowding(probed(), "evict_write", "same_llc"), 1 << 20).time_ratio, 1);
}

TEST(Crowding, is_none_at_another_place_or_without_the_probe) {
  EXPECT_TRUE(crowding(probed(), "evict_read", "sibling").points.empty());
  EXPECT_TRUE(crowding({}, "evict_read", "same_llc").points.empty());
  EXPECT_EQ(crowding_at({}, 1 << 20).time_ratio, 1);
}

TEST(Crowding, an_antagonist_that_was_taken_with_fewer_sets_is_held_against_the_same_idle) {
  EXPECT_EQ(crowding(probed(), "spin", "same_llc").points.size(), 1u);
}

}  // namespace
}  // namespace analysis
