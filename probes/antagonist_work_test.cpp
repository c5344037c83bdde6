#include "probes/antagonist_work.hpp"

#include <gtest/gtest.h>

namespace probes {
namespace {

TEST(AntagonistWork, adds_up_over_passes_and_becomes_rates) {
  Work work;
  add_work(work, {100, 0, 10}, {1100, 0, 510}, 1000);
  add_work(work, {0, 0, 0}, {1000, 0, 400}, 1000);
  harness::Series series;
  store_work(series, work);
  EXPECT_EQ(std::get<int64_t>(series.params.at("walked_bytes")), 2000);
  EXPECT_EQ(std::get<int64_t>(series.params.at("antagonist_bytes_per_s")), 1'000'000'000);
  EXPECT_EQ(std::get<double>(series.params.at("antagonist_cpu_ratio")), 0.45);
  EXPECT_EQ(series.params.count("antagonist_steps_per_s"), 0U);
}

TEST(AntagonistWork, of_multiplications_counts_no_bytes) {
  Work work;
  add_work(work, {0, 50, 0}, {0, 250, 100}, 100);
  harness::Series series;
  store_work(series, work);
  EXPECT_EQ(std::get<int64_t>(series.params.at("antagonist_steps_per_s")), 2'000'000'000);
  EXPECT_EQ(series.params.count("walked_bytes"), 0U);
}

TEST(AntagonistWork, without_time_says_nothing) {
  harness::Series series;
  store_work(series, {{100, 0, 0}, 0});
  EXPECT_TRUE(series.params.empty());
}

}  // namespace
}  // namespace probes
