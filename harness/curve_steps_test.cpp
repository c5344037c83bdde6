#include "harness/curve_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/cache_model.hpp"

namespace harness {
namespace {

constexpr int64_t kib = 1024, mib = 1024 * kib;

/// The steps of a curve without noise.
std::vector<Step> steps_of(const std::vector<int64_t>& sizes, const std::vector<double>& times) {
  Slowness curve{sizes, {}, {}};
  for (int64_t size : sizes) curve.octaves.push_back(std::log2(static_cast<double>(size)));
  for (double time : times) curve.logs.push_back(std::log(time));
  return find_steps(curve, 0);
}

/// Times of a step at 48 KiB, `ratio` high.
std::vector<double> step_times(const std::vector<int64_t>& sizes, double ratio) {
  std::vector<double> times;
  for (int64_t size : sizes) times.push_back(size <= 48 * kib ? 1 : ratio);
  return times;
}

TEST(curve_steps, levels_that_differ_by_less_than_a_quarter_are_one) {
  const auto sizes = model_sizes(mib);
  EXPECT_TRUE(steps_of(sizes, step_times(sizes, 1.24)).empty());
  EXPECT_EQ(steps_of(sizes, step_times(sizes, 1.26)).size(), 1u);
}

TEST(curve_steps, ends_leave_out_sizes_that_run_slower_or_faster_than_their_level) {
  const auto sizes = model_sizes(mib);
  const auto outside =
      static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), 48 * kib) - sizes.begin());
  auto times = step_times(sizes, 3);
  times[outside - 1] *= 1.1;
  times[outside] /= 1.1;
  const auto steps = steps_of(sizes, times);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].low_bytes, static_cast<double>(sizes[outside - 2]));
  EXPECT_EQ(steps[0].high_bytes, static_cast<double>(sizes[outside + 1]));
  EXPECT_NEAR(steps[0].logs, std::log(3), 1e-9);
}

TEST(curve_steps, ramp_that_the_curve_does_not_leave_is_no_step) {
  const auto sizes = model_sizes(2 * mib);
  auto times = step_times(sizes, 3);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > mib) times[i] *= static_cast<double>(sizes[i]) / mib;
  }
  EXPECT_EQ(steps_of(sizes, times).size(), 1u);
}

TEST(curve_steps, level_may_creep_by_12_percent_an_octave) {
  const auto sizes = model_sizes(mib);
  auto times = step_times(sizes, 3);
  for (size_t i = 0; i < sizes.size(); ++i)
    times[i] *= std::pow(1.12, std::log2(static_cast<double>(sizes[i])));
  const auto steps = steps_of(sizes, times);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].edge_bytes, 49 * kib, 6 * kib);
}

/// Times that double in each of `rise_octaves` octaves behind 48 KiB, and creep on by `octave_ratio`.
std::vector<Step> steps_of_creeping(int64_t largest, double rise_octaves, double octave_ratio) {
  const auto sizes = model_sizes(largest);
  std::vector<double> times;
  for (int64_t size : sizes) {
    const double octaves = std::max(0.0, std::log2(static_cast<double>(size) / (48 * kib)));
    times.push_back(std::exp2(std::min(octaves, rise_octaves)) * std::pow(octave_ratio, octaves));
  }
  return steps_of(sizes, times);
}

TEST(curve_steps, last_octave_may_creep_a_little_behind_a_large_step) {
  const auto steps = steps_of_creeping(4 * mib, 3, 1.2);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_LE(steps[0].low_bytes, 48 * kib);
  EXPECT_GE(steps[0].high_bytes, 48 * kib);
  EXPECT_TRUE(steps_of_creeping(4 * mib, 3, 2).empty()) << "as steep as the step";
  EXPECT_TRUE(steps_of_creeping(160 * kib, 0.5, 1.6).empty()) << "half of the step";
}

}  // namespace
}  // namespace harness
