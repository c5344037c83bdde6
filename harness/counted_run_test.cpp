#include "harness/counted_run.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

Series taken(const char* probe) {
  Series series;
  series.probe = probe;
  return series;
}

Submission counted() {
  Submission made;
  Launch after;
  after.purpose = "roofs_after";
  after.series = {taken("load_bandwidth"), taken("dram_stream")};
  made.launches = {after};
  made.derived.ratios = {{"aa/warm", {}, 5, {1.001, 0.99, 1.01}},
                         {"evict_flush/warm", {}, 5, {0.5, 0.4, 0.6}}};
  return made;
}

TEST(CountedRun, counts_with_a_passed_control_and_the_same_roofs_after_decode) {
  EXPECT_EQ(uncounted_reason(counted()), "");
}

TEST(CountedRun, a_failure_document_does_not_count) {
  auto run = counted();
  run.kind = "failure";
  EXPECT_EQ(uncounted_reason(run), "failure");
}

TEST(CountedRun, does_not_count_without_a_control_that_could_fail) {
  auto run = counted();
  run.derived.ratios[0].launches = 1;
  EXPECT_EQ(uncounted_reason(run), "no_aa");
  EXPECT_EQ(uncounted_reason({}), "no_aa");
}

TEST(CountedRun, does_not_count_when_one_of_its_controls_failed) {
  for (const Interval& speed : {Interval{1.02, 1.01, 1.03}, Interval{0.98, 0.97, 0.99}}) {
    auto run = counted();
    run.derived.ratios.push_back({"aa/warm", {}, 5, speed});
    EXPECT_EQ(uncounted_reason(run), "aa_failed");
  }
}

TEST(CountedRun, does_not_count_when_the_roofs_were_not_taken_again_or_moved) {
  auto run = counted();
  run.launches[0].series[1].status = Status::failed;
  EXPECT_EQ(uncounted_reason(run), "roofs_not_repeated");
  run.launches[0].purpose = "probes";
  EXPECT_EQ(uncounted_reason(run), "roofs_not_repeated");
  run = counted();
  run.derived.flags = {{"steal", "", 0.02}};
  EXPECT_EQ(uncounted_reason(run), "");
  run.derived.flags.push_back({"roofs_drifted", "", 0.9});
  EXPECT_EQ(uncounted_reason(run), "roofs_drifted");
}

}  // namespace
}  // namespace harness
