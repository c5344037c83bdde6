#include "harness/evidence_level.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

Series arm(const char* name) {
  Series series;
  series.probe = "decode";
  series.arm = name;
  return series;
}

/// A default run: ten launches with an A/A arm, roofs, golden logits.
Submission full() {
  Submission made;
  made.conditions.pinned_pu = 1;
  made.conditions.clock_source = "CLOCK_MONOTONIC_RAW";
  made.conditions.load1 = 0.1;
  made.conditions.steal_ratio = 0.0;
  Plan plan;
  plan.golden = "g";
  plan.weight_bytes_per_token = 1;
  made.plans = {plan};
  for (int round = 0; round < 10; ++round) {
    Launch launch;
    launch.purpose = "decode";
    launch.plan = 0;
    launch.golden_got = "g";
    launch.series = {arm("warm"), arm("aa"), arm("evict_flush")};
    made.launches.push_back(launch);
  }
  Roof roof;
  roof.read_bytes_per_s = Interval{1, 1, 1};
  roof.load_latency_ns = Unavailable{"not asked"};
  made.derived.roofs = {roof};
  return made;
}

TEST(evidence_level, is_a_for_a_default_run) {
  EXPECT_EQ(evidence_level(full()), "A");
}

TEST(evidence_level, is_that_of_the_weakest_aspect) {
  Submission run = full();
  run.launches.pop_back();
  EXPECT_EQ(evidence_aspects(run).samples, "B");
  EXPECT_EQ(evidence_level(run), "B");
  run = full();
  run.launches[3].series[0].status = run.launches[3].series[1].status = run.launches[3].series[2].status =
      Status::failed;
  EXPECT_EQ(evidence_aspects(run).samples, "B");
  run = full();
  run.derived.roofs[0].read_bytes_per_s = Unavailable{"no"};
  EXPECT_EQ(evidence_aspects(run).machine, "C");
  EXPECT_EQ(evidence_level(run), "C");
  run = full();
  run.derived.roofs[0].invalid = "impossible";
  EXPECT_EQ(evidence_aspects(run).machine, "C");
  run = full();
  run.conditions.steal_ratio = Unavailable{"no"};
  EXPECT_EQ(evidence_aspects(run).conditions, "C");
  run = full();
  run.launches[9].golden_got = "other";
  EXPECT_EQ(evidence_aspects(run).work, "B");
  run = full();
  run.plans[0].golden.clear();
  EXPECT_EQ(evidence_level(run), "B");
  run.plans[0].weight_bytes_per_token = 0;
  EXPECT_EQ(evidence_level(run), "C");
}

TEST(evidence_level, of_a_decode_without_control_is_c_and_of_one_launch_d) {
  Submission run = full();
  for (Launch& launch : run.launches) launch.series = {arm("warm"), arm("evict_flush")};
  EXPECT_EQ(evidence_aspects(run).control, "B");
  for (Launch& launch : run.launches) launch.series = {arm("warm")};
  EXPECT_EQ(evidence_level(run), "C");
  run.launches.resize(1);
  EXPECT_EQ(evidence_level(run), "D");
}

TEST(evidence_level, of_probes_alone_is_c_and_of_nothing_d) {
  Submission probes = full();
  probes.plans.clear();
  probes.launches.resize(1);
  probes.launches[0].plan.reset();
  EXPECT_EQ(evidence_aspects(probes).samples, "B");
  EXPECT_EQ(evidence_level(probes), "C");
  probes.launches.clear();
  EXPECT_EQ(evidence_level(probes), "D");
}

TEST(evidence_level, of_a_launch_whose_plan_is_not_there_is_no_crash) {
  Submission run = full();
  run.launches[0].plan = 7;
  run.launches[1].plan = -1;
  EXPECT_EQ(evidence_level(run), "B");
}

}  // namespace
}  // namespace harness
