#include "analysis/claim_values.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/claim_plan.hpp"
#include "analysis/test_claim.hpp"
#include "analysis/test_submission.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

using nlohmann::json;

Claim asking(const std::string& quantity, const std::function<void(json&)>& change = {}) {
  return test_claim([&](json& c) {
    c["parts"][0]["quantity"] = quantity;
    c["launches"] = 5;
    if (change) change(c);
  });
}

std::vector<std::optional<double>> values_of(const std::string& quantity,
                                             const harness::Submission& submission,
                                             const std::function<void(json&)>& change = {}) {
  return claim_values(asking(quantity, change), submission).parts.at(0);
}

TEST(claim_values, a_ratio_of_arms_is_taken_within_each_launch) {
  const auto values =
      values_of("ratio(tokens_per_s[mode=warm], tokens_per_s[mode=evict_flush])", test_submission());
  ASSERT_EQ(values.size(), 5u);
  for (const auto& value : values) EXPECT_NEAR(*value, 2, 1e-3);
}

TEST(claim_values, a_speed_alone_is_tokens_over_all_durations) {
  const auto values = values_of("tokens_per_s[mode=warm]", test_submission());
  EXPECT_NEAR(*values[0], 1e9 / 60'000, 1);
  EXPECT_NEAR(*values[1], 1e9 / 60'000 / 1.01, 1);
  EXPECT_NEAR(*values_of("weight_bytes_per_s[mode=warm]", test_submission())[0], 1'933'600e9 / 60'000, 1e6);
}

TEST(claim_values, positions_choose_the_blocks_that_lie_in_them) {
  harness::Submission made = test_submission();
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) {
      if (series.arm != "warm") continue;
      for (size_t i = 0; i < series.samples.size(); ++i) {
        if (i % 30 >= 26) series.samples[i] *= 3;  // positions 897 to 1023
      }
    }
  }
  const std::string early = "tokens_per_s[mode=warm, positions=65:192]",
                    late = "tokens_per_s[mode=warm, positions=897:1023]";
  EXPECT_NEAR(*values_of("ratio(" + early + ", " + late + ")", made)[0], 3, 0.01);
  EXPECT_NEAR(*values_of(late, made)[0], 1e9 / 180'000, 5);
  EXPECT_FALSE(values_of("tokens_per_s[mode=warm, positions=66:70]", made)[0]);  // no whole block
}

TEST(claim_values, a_launch_that_gave_no_speed_gives_no_value) {
  harness::Submission made = test_submission();
  made.launches[2].series[2].status = harness::Status::failed;
  const auto values = values_of("ratio(tokens_per_s[mode=warm], tokens_per_s[mode=evict_flush])", made);
  EXPECT_TRUE(values[0]);
  EXPECT_FALSE(values[1]);
  EXPECT_TRUE(values[2]);
}

/// A run whose rounds hold probes, twice each.
harness::Submission probed_rounds() {
  harness::Submission made = test_submission();
  for (int round = 0; round < 5; ++round) {
    TestRun run;
    run.l3_bytes_per_s = 40e9 + 1e9 * round;
    harness::Launch launch = test_probes(run, "probes");
    launch.purpose = "round_probes";
    launch.round = round;
    made.launches.push_back(launch);
    launch.purpose = "round_probes_again";
    made.launches.push_back(launch);
  }
  return made;
}

TEST(claim_values, probes_are_read_in_the_same_round_and_controlled_by_their_second) {
  const auto take = [](json& c) { c["probes"] = {"load_bandwidth", "dram_stream"}; };
  const Claim claim = asking("ratio(read_bytes_per_s[level=l3], read_bytes_per_s[level=dram])", take);
  const ClaimValues values = claim_values(claim, probed_rounds());
  for (size_t round = 0; round < 5; ++round)
    EXPECT_NEAR(values.parts[0][round].value(), 4 + 0.1 * static_cast<double>(round), 0.01);
  ASSERT_EQ(values.controls.size(), 3u);  // aa of the plan, l3, dram
  EXPECT_EQ(values.controls[1].ratios.size(), 5u);
  EXPECT_NEAR(values.controls[1].ratios[3], 1, 1e-9);
  EXPECT_FALSE(claim_values(claim, test_submission()).parts[0][0]);  // no probes in the rounds
}

/// A run of the kernels avx512 whose second round was held against the reference with those of `isa`.
harness::Submission fidelity_run(const std::string& isa) {
  harness::Submission made = test_submission();
  made.suite.isa = "avx512";
  harness::Launch launch;
  launch.purpose = "fidelity";
  launch.round = 1;
  harness::Series series;
  series.probe = "fidelity";
  series.samples = {1};
  series.params = {{"of_model", std::string("coreflow_1_9m")}, {"isa", isa}, {"rms_difference_sigmas", 0.02}};
  launch.series = {series};
  made.launches.push_back(launch);
  return made;
}

TEST(claim_values, fidelity_is_read_from_its_launch) {
  const auto values = values_of("fidelity[model=coreflow_1_9m, figure=rms_difference_sigmas]",
                                fidelity_run("avx512"), [](json& c) { c["fidelity"] = {"coreflow_1_9m"}; });
  EXPECT_FALSE(values[0]);
  EXPECT_EQ(values[1], 0.02);
}

TEST(claim_values, forced_or_other_kernels_give_no_fidelity_and_no_probes) {
  const auto take = [](json& c) { c["fidelity"] = {"coreflow_1_9m"}; };
  const std::string asked = "fidelity[model=coreflow_1_9m, figure=rms_difference_sigmas]";
  harness::Submission made = fidelity_run("avx512");
  EXPECT_TRUE(values_of(asked, made, take)[1]);
  EXPECT_FALSE(values_of(asked, fidelity_run("scalar"), take)[1]);
  made.suite.isa_chosen_by = "forced";
  EXPECT_FALSE(values_of(asked, made, take)[1]);
  harness::Submission probed = probed_rounds();
  const auto probes = [](json& c) { c["probes"] = {"dram_stream"}; };
  EXPECT_TRUE(values_of("read_bytes_per_s[level=dram]", probed, probes)[0]);
  probed.suite.isa_chosen_by = "forced";
  EXPECT_FALSE(values_of("read_bytes_per_s[level=dram]", probed, probes)[0]);
}

TEST(claim_values, a_census_counts_the_sealed_catalogue_or_none) {
  const auto sealed_for = [](const std::string& digest) {
    return [=](json& c) { c["golden"]["cpu_catalogue"] = digest; };
  };
  const std::string share = "cpu_share[level=l3, bytes=1]";
  EXPECT_TRUE(values_of(share, {}, sealed_for(catalogue_digest()))[0]);
  EXPECT_THROW(values_of(share, {}, sealed_for(std::string(64, '0'))), harness::Error);
}

TEST(claim_values, a_share_of_the_catalogue_falls_with_the_size_asked_for) {
  const double any = *values_of("cpu_share[level=l3, bytes=1]", {})[0],
               large = *values_of("cpu_share[level=l3, bytes=33554432]", {})[0];
  EXPECT_GT(any, large);
  EXPECT_GT(large, 0);
  EXPECT_LE(any, 1);
}

TEST(claim_values, the_family_is_sized_by_the_machines_l3) {
  ClaimPlan plan;
  plan.model = "coreflow_x";
  plan.l3_share = 0.25;
  harness::Machine machine = test_submission().machine;
  EXPECT_EQ(std::get<std::string>(model_on(plan, machine)), "coreflow_x8192kib");
  machine.caches.clear();
  EXPECT_FALSE(harness::available(model_on(plan, machine)));
  plan.threads = 0;
  machine.cores = 8;
  machine.threads = machine.affinity_pus = 16;
  EXPECT_EQ(threads_on(plan, machine), 8);
  EXPECT_EQ(why_not_all_cores(plan, machine), "");
  machine.affinity_pus = 2;  // as under taskset: the machine's key stays the same
  EXPECT_EQ(why_not_all_cores(plan, machine), "it is about all cores, and this process may use 2 of 16 PUs");
  harness::Plan taken = test_submission().plans[0];
  plan.model = taken.model;
  plan.l3_share = 0;
  plan.arms = taken.arms;
  taken.threads = 2;
  EXPECT_NE(difference(plan, taken, machine, taken.launches, false).find("all cores"), std::string::npos);
  plan.threads = 1;
  EXPECT_EQ(why_not_all_cores(plan, machine), "");
}

}  // namespace
}  // namespace analysis
