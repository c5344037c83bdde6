#include "harness/clock.hpp"

#include <gtest/gtest.h>

#include <string>

#include "harness/fake_clock.hpp"

namespace harness {
namespace {

TEST(clock, steady_clock_never_goes_back_and_moves) {
  const Clock clock = steady_clock();
  const int64_t start_ns = clock.now_ns();
  int64_t before_ns = start_ns;
  for (int i = 0; i < 10'000; ++i) {
    const int64_t now_ns = clock.now_ns();
    ASSERT_GE(now_ns, before_ns);
    before_ns = now_ns;
  }
  EXPECT_GT(before_ns, start_ns);
  EXPECT_EQ(std::string(clock.source).rfind("CLOCK_MONOTONIC", 0), 0u);
}

TEST(clock, quality_of_a_scripted_clock_is_what_the_script_says) {
  FakeClock fake;
  fake.per_read_ns = 23;
  const ClockQuality quality = measure_clock(fake.clock());
  EXPECT_EQ(quality.resolution_ns, 23);
  EXPECT_EQ(quality.overhead_ns, 23);
  EXPECT_LT(fake.reads, 50'000) << "about 1 ms of reads is enough for a fine clock";
}

TEST(clock, a_coarse_clock_shows_its_tick_as_resolution_and_the_mean_as_overhead) {
  FakeClock fake;
  fake.per_read_ns = 20;
  fake.tick_ns = 4'000'000;
  const ClockQuality quality = measure_clock(fake.clock());
  EXPECT_EQ(quality.resolution_ns, 4'000'000);
  EXPECT_GE(quality.overhead_ns, 19);
  EXPECT_LE(quality.overhead_ns, 21);
}

TEST(clock, a_clock_that_stands_still_has_no_resolution_and_ends_all_the_same) {
  FakeClock fake;
  EXPECT_EQ(measure_clock(fake.clock()).resolution_ns, 0);
}

TEST(clock, the_host_clock_resolves_a_sample) {
  const ClockQuality quality = measure_clock(steady_clock());
  EXPECT_GT(quality.resolution_ns, 0);
  EXPECT_GT(quality.overhead_ns, 0);
}

}  // namespace
}  // namespace harness
