#include "analysis/claim_merge.hpp"

#include <gtest/gtest.h>

#include "analysis/claim_ledger.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

const std::string seal(64, 'a'), now = "2026-12-09T00:00:00Z";

LedgerRow row_of(const std::string& kind, char digit, const std::string& utc) {
  LedgerRow row;
  row.kind = kind;
  row.claim = "fast";
  row.seal = seal;
  row.utc = utc;
  if (kind == "seal") return row;
  row.nonce = std::string(32, digit);
  row.machine_key = std::string(64, digit);
  if (kind == "finished") row.content_sha256 = std::string(64, digit);
  if (kind == "abandoned") row.reason = "interrupted";
  return row;
}

/// The common beginning: one seal.
std::string sealed() {
  return append_row("", row_of("seal", '0', "2026-12-01T00:00:00Z"));
}

/// A clone in which a machine ran once.
std::string clone(char digit, const std::string& day) {
  return append_row(append_row(sealed(), row_of("run", digit, "2026-12-" + day + "T00:00:00Z")),
                    row_of("finished", digit, "2026-12-" + day + "T00:01:00Z"));
}

TEST(claim_merge, runs_of_another_clone_follow_ours_and_name_what_they_repeat) {
  const std::string theirs = clone('2', "02");
  const MergedLedger merged = merge_ledgers(clone('1', "03"), theirs, now);
  EXPECT_EQ(merged.rows, 2);
  EXPECT_TRUE(merged.left_out.empty());
  const auto rows = read_ledger(merged.text);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[3].utc, now);
  EXPECT_EQ(rows[3].original_hash, read_ledger(theirs)[1].hash);
  EXPECT_EQ(rows[3].original_utc, "2026-12-02T00:00:00Z");
  const auto runs = started_runs(rows, seal);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].nonce, std::string(32, '2'));
  EXPECT_EQ(runs[1].utc, "2026-12-02T00:00:00Z");
  EXPECT_EQ(runs[1].content_sha256, std::string(64, '2'));
}

TEST(claim_merge, the_same_rows_are_taken_once_by_whichever_way_they_come) {
  const std::string once = merge_ledgers(clone('1', "03"), clone('2', "02"), now).text;
  EXPECT_EQ(merge_ledgers(once, clone('2', "02"), now).text, once);
  // A third clone that had merged them already.
  const std::string third = merge_ledgers(clone('3', "04"), clone('2', "02"), now).text;
  const MergedLedger all = merge_ledgers(once, third, now);
  EXPECT_EQ(all.rows, 2);
  EXPECT_EQ(started_runs(read_ledger(all.text), seal).size(), 3u);
}

TEST(claim_merge, what_only_the_other_clone_sealed_or_judged_is_left_out_and_told) {
  LedgerRow other = row_of("seal", '0', "2026-12-05T00:00:00Z");
  other.claim = "slow";
  other.seal = std::string(64, 'b');
  LedgerRow run = row_of("run", '5', "2026-12-05T00:00:00Z");
  run.claim = "slow";
  run.seal = other.seal;
  const MergedLedger merged = merge_ledgers(sealed(), append_row(append_row(sealed(), other), run), now);
  EXPECT_EQ(merged.rows, 0);
  ASSERT_EQ(merged.left_out.size(), 2u);
  EXPECT_NE(merged.left_out[0].find("a claim has one ledger"), std::string::npos);
  EXPECT_NE(merged.left_out[1].find("does not hold"), std::string::npos);
}

TEST(claim_merge, a_run_that_ended_otherwise_here_is_left_out_and_told) {
  const std::string begun = append_row(sealed(), row_of("run", '1', "2026-12-02T00:00:00Z"));
  const std::string ours = append_row(begun, row_of("finished", '1', "2026-12-02T00:01:00Z"));
  const std::string theirs = append_row(begun, row_of("abandoned", '1', "2026-12-02T00:02:00Z"));
  const MergedLedger merged = merge_ledgers(ours, theirs, now);
  EXPECT_EQ(merged.text, ours);
  ASSERT_EQ(merged.left_out.size(), 1u);
  EXPECT_NE(merged.left_out[0].find("has ended"), std::string::npos);
}

void expect_code(const std::string& ours, const std::string& theirs, const std::string& when,
                 harness::ExitCode code) {
  try {
    merge_ledgers(ours, theirs, when);
    ADD_FAILURE() << "not refused";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

TEST(claim_merge, a_ledger_of_another_origin_a_broken_one_and_one_of_the_future_are_refused) {
  LedgerRow other = row_of("seal", '0', "2026-12-05T00:00:00Z");
  expect_code(sealed(), append_row("", other), now, harness::ExitCode::invalid_input);
  expect_code(sealed(), "", now, harness::ExitCode::invalid_input);
  expect_code(sealed(), clone('2', "02") + "x\n", now, harness::ExitCode::tampered);
  expect_code(sealed(), clone('2', "02"), "2026-12-01T00:00:30Z", harness::ExitCode::unavailable);
}

}  // namespace
}  // namespace analysis
