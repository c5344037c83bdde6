#include "analysis/verdict.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/test_claim.hpp"
#include "analysis/test_submission.hpp"
#include "analysis/verdict_json.hpp"

namespace analysis {
namespace {

using nlohmann::json;

const std::string seal(64, 'a'), sealed_utc = "2026-12-01T00:00:00Z";

/// Ten launches in which flushing multiplies times by `factor`, launches differing a little.
harness::Submission made_run(double factor, double wobble = 0.01) {
  TestRun run;
  run.launch_factors.assign(10, 1.0);
  run.arms = {{"warm", 60'000},
              {"aa", 60'000},
              {"evict_flush", std::llround(60'000 * factor)},
              {"evict_read", 61'000}};
  run.arm_factor = [wobble](const std::string& arm, size_t launch) {
    return arm == "warm"
               ? 1.0
               : 1 + wobble * (static_cast<double>(launch * (arm == "aa" ? 7 : 3) % 10) - 4.5) / 4.5;
  };
  harness::Submission made = test_submission(run);
  made.created_utc = "2026-12-02T00:00:00Z";
  made.protocol = "claim";
  made.suite.isa_chosen_by = "auto";
  made.machine.machine_key = std::string(64, '1');
  made.machine.cpu_model = "Example CPU";
  made.claim = harness::ClaimReference{"residency_pays", seal, sealed_utc};
  add_eviction_evidence(made, "evict_flush");
  return made;
}

ClaimDocument document(harness::Submission made, char digit) {
  made.nonce = std::string(32, digit);
  return {std::string(64, digit), std::move(made), "", ""};
}

ClaimVerdict judged(std::vector<ClaimDocument> documents, const Claim& claim = test_claim()) {
  ClaimRuns runs;
  for (const ClaimDocument& each : documents)
    runs.told.push_back({each.submission.nonce, each.submission.machine.machine_key,
                         each.submission.created_utc, false, each.sha256});
  return judge(claim, seal, sealed_utc, std::move(documents), runs);
}

TEST(verdict, inside_is_supported_outside_falsified_and_across_inconclusive_with_the_launches_needed) {
  EXPECT_EQ(judged({document(made_run(2.3), '1')}).verdict, "supported");
  EXPECT_EQ(judged({document(made_run(1.7), '1')}).verdict, "falsified");
  const ClaimVerdict across = judged({document(made_run(2.01, 0.05), '1')});
  EXPECT_EQ(across.verdict, "inconclusive");
  EXPECT_GT(across.machines[0].parts[0].launches_needed, 10);
}

TEST(verdict, the_numbers_are_those_of_the_launches) {
  const ClaimVerdict verdict = judged({document(made_run(2.5, 0.02), '1')});
  const PartVerdict& part = verdict.machines[0].parts[0];
  ASSERT_EQ(part.values.size(), 10u);
  EXPECT_NEAR(part.values[0], 2.5 * (1 - 0.02), 0.02);
  EXPECT_NEAR(part.interval.median, 2.5, 0.03);
  EXPECT_LT(part.interval.low, part.interval.median);
  EXPECT_LE(part.tost_p, 0.025);
  EXPECT_LT(part.bootstrap.low, part.bootstrap.high);
  ASSERT_EQ(verdict.machines[0].controls.size(), 1u);
  EXPECT_TRUE(verdict.machines[0].controls[0].holds);
  EXPECT_FALSE(verdict.unproven);
}

TEST(verdict, nothing_measured_is_no_verdict) {
  EXPECT_EQ(judged({}).verdict, "");
  harness::Submission other = made_run(2.3);
  other.claim.reset();  // a default run decides nothing
  EXPECT_EQ(judged({document(other, '1')}).verdict, "");
}

TEST(verdict, data_older_than_the_claim_do_not_count) {
  harness::Submission old = made_run(2.3);
  old.created_utc = "2026-11-30T23:59:59Z";
  const ClaimVerdict verdict = judged({document(old, '1')});
  EXPECT_EQ(verdict.verdict, "");
  ASSERT_EQ(verdict.left_out.size(), 1u);
  EXPECT_NE(verdict.left_out[0].why.find("older"), std::string::npos);
  harness::Submission amended = made_run(2.3);
  amended.claim->seal = std::string(64, 'b');
  EXPECT_EQ(judged({document(amended, '1')}).verdict, "");
  harness::Submission predated = made_run(2.3);
  predated.claim->sealed_utc = "2026-11-01T00:00:00Z";
  EXPECT_EQ(judged({document(predated, '1')}).verdict, "");
}

TEST(verdict, the_first_run_decides_and_later_ones_only_replicate) {
  harness::Submission first = made_run(2.3), later = made_run(1.5);
  later.created_utc = "2026-12-03T00:00:00Z";
  const ClaimVerdict verdict = judged({document(first, '2'), document(later, '1')});
  EXPECT_EQ(verdict.verdict, "supported");
  EXPECT_EQ(verdict.machines[0].document, std::string(64, '2'));
  ASSERT_EQ(verdict.machines[0].replications.size(), 1u);
  EXPECT_NEAR(verdict.machines[0].replications[0].parts[0].median, 1.5, 0.03);
  EXPECT_LT(verdict.machines[0].replications[0].differs_p[0], 0.001);
}

TEST(verdict, another_plan_than_the_registered_does_not_count) {
  const auto left_out = [](const std::function<void(harness::Submission&)>& change) {
    harness::Submission made = made_run(2.3);
    change(made);
    const ClaimVerdict verdict = judged({document(made, '1')});
    return verdict.machines.empty() && verdict.left_out.size() == 1;
  };
  EXPECT_FALSE(left_out([](auto&) {}));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].isa = "scalar"; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].arithmetic = "float"; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].launches = 9; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].threads = 2; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].page_bytes = 2 << 20; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].position_last = 500; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].placement = "sibling"; }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].weights = std::string(64, 'f'); }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans[0].arms.pop_back(); }));
  EXPECT_TRUE(left_out([](auto& s) { s.plans.push_back(s.plans[0]); }));
}

TEST(verdict, conditions_exclude_and_populations_choose) {
  harness::Submission noisy = made_run(2.3);
  noisy.conditions.steal_ratio = 0.2;
  const ClaimVerdict excluded = judged({document(noisy, '1')});
  EXPECT_EQ(excluded.verdict, "");
  EXPECT_EQ(excluded.left_out.at(0).why, "excluded: steal_ratio > 0.05");
  harness::Submission small = made_run(2.3);
  for (harness::Cache& cache : small.machine.caches) cache.bytes = std::min<uint64_t>(cache.bytes, 1 << 20);
  EXPECT_EQ(judged({document(small, '1')}).verdict, "not_applicable");
}

TEST(verdict, a_control_that_excludes_1_leaves_the_verdict_unproven) {
  harness::Submission made = made_run(2.3);
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) {
      if (series.arm != "aa") continue;
      for (int64_t& ns : series.samples) ns += ns / 10;
    }
  }
  const ClaimVerdict verdict = judged({document(made, '1')});
  EXPECT_EQ(verdict.verdict, "supported");
  EXPECT_TRUE(verdict.unproven);
  EXPECT_FALSE(verdict.machines[0].controls[0].holds);
}

TEST(verdict, an_implausible_document_is_judged_and_unproven_and_a_rejected_one_left_out) {
  ClaimDocument implausible = document(made_run(2.3), '1');
  implausible.implausible = "P01: too fast";
  EXPECT_TRUE(judged({implausible}).unproven);
  ClaimDocument rejected = document(made_run(2.3), '1');
  rejected.rejected = "R01: other logits";
  EXPECT_EQ(judged({rejected}).verdict, "");
}

TEST(verdict, other_logits_than_the_claim_names_do_not_count) {
  const Claim other = test_claim([](json& c) { c["golden"]["coreflow_1_9m"] = std::string(64, '7'); });
  EXPECT_EQ(judged({document(made_run(2.3), '1')}, other).verdict, "");
}

TEST(verdict, a_part_over_evictions_that_nothing_verifies_is_unproven) {
  harness::Submission made = made_run(2.3);
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) series.params.clear();
  }
  const ClaimVerdict verdict = judged({document(made, '1')});
  EXPECT_EQ(verdict.verdict, "supported");
  EXPECT_TRUE(verdict.unproven);
  ASSERT_EQ(verdict.machines[0].doubts.size(), 1u);
  EXPECT_NE(verdict.machines[0].doubts[0].find("evict_flush in plan main are not verified"),
            std::string::npos);
  const Claim warm_alone = test_claim([](json& c) {
    c["parts"][0]["quantity"] = "tokens_per_s[mode=warm]";
    c["parts"][0]["region"] = {{"low", 1}};
  });
  EXPECT_FALSE(judged({document(made, '1')}, warm_alone).unproven);
}

void fail_flush(harness::Submission& made, int launches) {
  for (harness::Launch& launch : made.launches) {
    if (launch.purpose != "decode" || launch.round >= launches) continue;
    for (harness::Series& series : launch.series) {
      if (series.arm != "evict_flush") continue;
      series.status = harness::Status::failed;
      series.reason = "not_evicted";
    }
  }
}

TEST(verdict, failed_launches_count_and_are_not_replaced) {
  harness::Submission one = made_run(2.3), three = made_run(2.3);
  fail_flush(one, 1);
  fail_flush(three, 3);
  const ClaimVerdict mostly = judged({document(one, '1')});
  EXPECT_EQ(mostly.verdict, "supported");
  EXPECT_EQ(mostly.machines[0].parts[0].missing, 1);
  EXPECT_EQ(mostly.machines[0].parts[0].values.size(), 9u);
  EXPECT_EQ(judged({document(three, '1')}).verdict, "inconclusive");
}

TEST(verdict, one_machine_falsifies_for_all_and_support_needs_every_machine) {
  harness::Submission good = made_run(2.3), bad = made_run(1.7), vague = made_run(2.01, 0.05);
  bad.machine.machine_key = std::string(64, '2');
  vague.machine.machine_key = std::string(64, '3');
  EXPECT_EQ(judged({document(good, '1'), document(bad, '2')}).verdict, "falsified");
  EXPECT_EQ(judged({document(good, '1'), document(vague, '3')}).verdict, "inconclusive");
}

TEST(verdict, many_machines_are_many_chances_to_be_falsified_by_chance) {
  // Just outside: alone it falsifies, as one of twenty it may be the one in twenty.
  harness::Submission bad = made_run(1.98, 0.016);
  const ClaimVerdict alone = judged({document(bad, '1')});
  ASSERT_EQ(alone.verdict, "falsified");
  const double p = alone.machines[0].outside_p;
  ASSERT_GT(p, 0.05 / 8);
  std::vector<ClaimDocument> documents{document(bad, '1')};
  for (const char digit : {'2', '3', '4', '5', '6', '7', '8', '9'}) {
    documents.push_back(document(made_run(2.3), digit));
    documents.back().submission.machine.machine_key = std::string(64, digit);
  }
  const ClaimVerdict among = judged(documents);
  EXPECT_EQ(among.machines[0].verdict, "falsified");
  EXPECT_NEAR(among.machines[0].outside_p, 9 * p, 1e-12);
  EXPECT_EQ(among.verdict, "inconclusive");
}

TEST(verdict, support_is_proven_only_on_every_machine_and_a_counterexample_on_one) {
  ClaimDocument good = document(made_run(2.3), '1'), doubted = document(made_run(2.3), '2'),
                bad = document(made_run(1.5), '3');
  doubted.submission.machine.machine_key = std::string(64, '2');
  doubted.implausible = "P01: too fast";
  bad.submission.machine.machine_key = std::string(64, '3');
  EXPECT_FALSE(judged({good}).unproven);
  EXPECT_TRUE(judged({good, doubted}).unproven);
  EXPECT_FALSE(judged({good, doubted, bad}).unproven);
  bad.implausible = "P01: too fast";
  EXPECT_TRUE(judged({good, bad}).unproven);
}

TEST(verdict, a_census_needs_no_launch) {
  const auto census = [](double low) {
    return test_claim([low](json& c) {
      c.erase("plans");
      c["test"] = "exact";
      c["parts"][0]["quantity"] = "cpu_share[level=l3, bytes=1]";
      c["parts"][0]["region"] = {{"low", low}};
    });
  };
  EXPECT_EQ(judged({}, census(0.1)).verdict, "supported");
  EXPECT_EQ(judged({}, census(1.1)).verdict, "falsified");
}

TEST(verdict, its_json_holds_the_numbers) {
  const Claim claim = test_claim();
  const json text = json::parse(verdict_json(claim, seal, judged({document(made_run(2.3), '1')})));
  EXPECT_EQ(text.at("verdict"), "supported");
  EXPECT_EQ(text.at("seal"), seal);
  EXPECT_EQ(text.at("machines")[0].at("parts")[0].at("values").size(), 10u);
  EXPECT_EQ(text.at("machines")[0].at("controls").size(), 1u);
}

}  // namespace
}  // namespace analysis
