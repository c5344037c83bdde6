#include "analysis/verdict_runs.hpp"

#include <gtest/gtest.h>

#include "analysis/test_claim.hpp"
#include "analysis/test_submission.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

const std::string seal(64, 'a'), sealed_utc = "2026-12-01T00:00:00Z", here(64, '1'), elsewhere(64, '9');

/// A run in which flushing multiplies times by `factor`.
ClaimDocument made_run(char digit, double factor = 2.3) {
  TestRun run;
  run.launch_factors.assign(10, 1.0);
  run.arms[2].second = std::llround(60'000 * factor);
  run.arm_factor = [](const std::string& arm, size_t launch) {
    return arm == "warm" ? 1.0
                         : 1 + 0.001 * static_cast<double>(launch * (arm == "aa" ? 7 : 3) % 10) - 0.0045;
  };
  harness::Submission made = test_submission(run);
  made.created_utc = "2026-12-02T00:00:00Z";
  made.protocol = "claim";
  made.suite.isa_chosen_by = "auto";
  made.machine.machine_key = here;
  made.claim = harness::ClaimReference{"residency_pays", seal, sealed_utc};
  made.nonce = std::string(32, digit);
  add_eviction_evidence(made, "evict_flush");
  return {std::string(64, digit), std::move(made), "", ""};
}

StartedRun finished(char digit, const std::string& machine = here) {
  return {std::string(32, digit), machine, "2026-12-02T00:00:00Z", false, std::string(64, digit)};
}

StartedRun abandoned(char digit) {
  return {std::string(32, digit), here, "2026-12-02T00:00:00Z", true, ""};
}

ClaimVerdict judged(const std::vector<ClaimDocument>& documents, const std::vector<StartedRun>& told,
                    const std::vector<StartedRun>& begun = {}) {
  return judge(test_claim(), seal, sealed_utc, documents, {told, begun});
}

/// Expects a doubt about all machines that says so.
void expect_doubt(const ClaimVerdict& verdict, const std::string& why) {
  EXPECT_TRUE(verdict.unproven);
  for (const std::string& doubt : verdict.doubts) {
    if (doubt.find(why) != std::string::npos) return;
  }
  ADD_FAILURE() << "no doubt says: " << why;
}

void expect_tampered(const std::vector<ClaimDocument>& documents, const std::vector<StartedRun>& told) {
  try {
    judged(documents, told);
    ADD_FAILURE() << "not noticed";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::tampered);
  }
}

TEST(verdict_runs, the_ledger_and_not_a_documents_clock_tells_which_run_was_first) {
  ClaimDocument first = made_run('1', 1.5), second = made_run('2', 2.3);
  second.submission.created_utc = sealed_utc;  // earlier than the first, it says
  const ClaimVerdict verdict = judged({second, first}, {finished('1'), finished('2')});
  EXPECT_EQ(verdict.machines.at(0).document, first.sha256);
  EXPECT_EQ(verdict.verdict, "falsified");
  EXPECT_FALSE(verdict.unproven);
  EXPECT_EQ(verdict.machines[0].replications.size(), 1u);
}

TEST(verdict_runs, a_document_that_is_not_the_one_its_run_finished_with_is_tampering) {
  ClaimDocument spoilt = made_run('1');
  spoilt.sha256 = std::string(64, 'f');
  spoilt.rejected = "R02: other figures";
  expect_tampered({spoilt, made_run('2')}, {finished('1'), finished('2')});
}

TEST(verdict_runs, a_document_of_another_machine_than_its_run_is_tampering) {
  ClaimDocument moved = made_run('2');
  moved.submission.machine.machine_key = elsewhere;
  expect_tampered({moved}, {finished('2')});
}

TEST(verdict_runs, a_rejected_run_is_a_doubt_and_no_silent_skip) {
  ClaimDocument rejected = made_run('1');
  rejected.rejected = "R01: other logits";
  const ClaimVerdict verdict = judged({rejected, made_run('2')}, {finished('1'), finished('2')});
  EXPECT_EQ(verdict.verdict, "supported");
  expect_doubt(verdict, "does not count: R01");
}

TEST(verdict_runs, a_run_left_out_by_a_condition_that_was_named_before_is_no_doubt) {
  ClaimDocument noisy = made_run('1');
  noisy.submission.conditions.steal_ratio = 0.2;
  const ClaimVerdict verdict = judged({noisy, made_run('2')}, {finished('1'), finished('2')});
  EXPECT_FALSE(verdict.unproven);
  EXPECT_EQ(verdict.left_out.size(), 1u);
}

TEST(verdict_runs, a_run_that_is_missing_is_a_doubt_on_whichever_machine_and_whenever_it_was_begun) {
  EXPECT_FALSE(judged({made_run('2')}, {finished('2')}).unproven);
  expect_doubt(judged({made_run('2')}, {finished('1'), finished('2')}), "its document is not here");
  expect_doubt(judged({made_run('2')}, {finished('1', elsewhere), finished('2')}), "on machine 99999999");
  expect_doubt(judged({made_run('2')}, {finished('2'), finished('3')}), "its document is not here");
}

TEST(verdict_runs, abandoned_runs_are_counted_and_their_documents_never_count) {
  const ClaimVerdict without = judged({made_run('2')}, {abandoned('1'), finished('2')});
  EXPECT_FALSE(without.unproven);
  EXPECT_EQ(without.runs_begun, 2);
  EXPECT_EQ(without.runs_abandoned, 1);
  EXPECT_EQ(judged({made_run('1')}, {abandoned('1')}).verdict, "");
  const ClaimVerdict with = judged({made_run('1'), made_run('2')}, {abandoned('1'), finished('2')});
  EXPECT_EQ(with.machines.at(0).document, std::string(64, '2'));
  expect_doubt(with, "abandoned");
}

TEST(verdict_runs, a_run_that_the_ledger_does_not_tell_of_or_did_not_see_finish_is_doubted) {
  EXPECT_TRUE(judged({made_run('2')}, {}, {finished('2')}).unproven);
  StartedRun unfinished = finished('2');
  unfinished.content_sha256.clear();
  EXPECT_TRUE(judged({made_run('2')}, {unfinished}).unproven);
  // Looked at before, under a copy of the ledger: it does not decide, and it is told.
  const ClaimVerdict peeked = judged({made_run('1', 2.2), made_run('2')}, {finished('2')});
  EXPECT_EQ(peeked.machines.at(0).document, std::string(64, '2'));
  EXPECT_TRUE(peeked.unproven);
}

TEST(verdict_runs, a_run_that_this_computer_began_and_the_ledger_lacks_is_a_doubt) {
  EXPECT_FALSE(judged({made_run('2')}, {finished('2')}, {finished('2')}).unproven);
  expect_doubt(judged({made_run('2')}, {finished('2')}, {finished('1'), finished('2')}),
               "on this computer, and the ledger does not tell of it");
}

TEST(verdict_runs, a_document_of_a_stranger_is_left_out_and_makes_nothing_doubtful) {
  ClaimDocument stranger = made_run('1', 1.5);
  stranger.submission.machine.machine_key = elsewhere;
  const ClaimVerdict verdict = judged({stranger, made_run('2')}, {finished('2')});
  EXPECT_EQ(verdict.verdict, "supported");
  EXPECT_FALSE(verdict.unproven);
  ASSERT_EQ(verdict.left_out.size(), 1u);
  EXPECT_NE(verdict.left_out[0].why.find("claim merge"), std::string::npos);
  EXPECT_EQ(judged({stranger}, {}).verdict, "");
}

TEST(verdict_runs, a_copy_under_another_nonce_is_left_out_and_makes_nothing_doubtful) {
  ClaimDocument copy = made_run('1');  // the same samples
  copy.submission.created_utc = "2026-12-05T00:00:00Z";
  const ClaimVerdict verdict = judged({copy, made_run('2')}, {finished('2')});
  EXPECT_FALSE(verdict.unproven);
  EXPECT_TRUE(verdict.machines.at(0).replications.empty());
  ASSERT_EQ(verdict.left_out.size(), 1u);
  EXPECT_EQ(verdict.left_out[0].why, "a copy of document 22222222 under another nonce");
}

TEST(verdict_runs, load_on_the_measured_pu_leaves_a_falsification_unproven) {
  ClaimDocument loaded = made_run('2', 1.5);
  EXPECT_FALSE(judged({loaded}, {finished('2')}).unproven);
  loaded.submission.conditions.psi_cpu_some = 0.97;
  const ClaimVerdict verdict = judged({loaded}, {finished('2')});
  EXPECT_EQ(verdict.verdict, "falsified");
  EXPECT_TRUE(verdict.unproven);
}

TEST(verdict_runs, the_same_document_twice_is_no_replication) {
  const ClaimVerdict verdict = judged({made_run('2'), made_run('2')}, {finished('2')});
  EXPECT_TRUE(verdict.machines.at(0).replications.empty());
}

}  // namespace
}  // namespace analysis
