#include "probes/evidence.hpp"

#include <gtest/gtest.h>

namespace probes {
namespace {

TEST(Evidence, records_who_disturbed_a_sample_and_leaves_quiet_ones_unmarked) {
  harness::Series series;
  record_disturbance(series, 4, {1, 0, 2, 3, 20, 20, 0, 0, 0});
  record_disturbance(series, 5, {0, 9, 0, 0, 20, 20, 0, 3e9, 3e9});
  record_disturbance(series, 6, {0, 0, 0, 0, 20, 20, 30, 0, 0});
  record_disturbance(series, 7, {2, 0, 0, 0, 10, 20, 30, 2e9, 3e9});
  const harness::Disturbed expected{{"clock_drift", {7}},           {"cpu_wall", {7}},
                                    {"involuntary_switch", {4, 7}}, {"major_fault", {4}},
                                    {"minor_fault", {4}},           {"steal", {6, 7}}};
  EXPECT_EQ(series.disturbed, expected);
  EXPECT_EQ(series.totals, (harness::Totals{80, 70, 60, 3, 2, 3, 2'000'000'000, 3'000'000'000}));
}

TEST(Evidence, of_a_core_clock_that_nobody_knows_is_none) {
  harness::Totals totals;
  add_totals(totals, harness::Disturbance{0, 0, 0, 0, 5, 5, 0, 0, 0});
  EXPECT_EQ(totals.core_clock_low_hz, 0);
  EXPECT_EQ(totals.core_clock_high_hz, 0);
  add_totals(totals, harness::Totals{0, 0, 0, 0, 0, 0, 7, 9});
  add_totals(totals, harness::Totals{});
  EXPECT_EQ(totals, (harness::Totals{5, 5, 0, 0, 0, 0, 7, 9})) << "not known is not a clock of 0 Hz";
}

}  // namespace
}  // namespace probes
