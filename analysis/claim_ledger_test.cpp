#include "analysis/claim_ledger.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace analysis {
namespace {

LedgerRow seal_row(const std::string& claim, char digit) {
  LedgerRow row;
  row.kind = "seal";
  row.claim = claim;
  row.seal = std::string(64, digit);
  row.utc = "2026-12-01T00:00:00Z";
  return row;
}

std::string three_rows() {
  std::string text = append_row(append_row("", seal_row("a", '1')), seal_row("b", '2'));
  LedgerRow amendment = seal_row("a", '3');
  amendment.kind = "amend";
  amendment.supersedes = std::string(64, '1');
  amendment.reason = "more launches";
  return append_row(text, amendment);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    lines.push_back(text.substr(from, end - from + 1));
    from = end + 1;
  }
  return lines;
}

void expect_tampered(const std::string& text, const std::string& why) {
  try {
    read_ledger(text);
    ADD_FAILURE() << "not noticed: " << why;
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::tampered);
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(claim_ledger, rows_come_back_in_their_order_with_the_present_seal) {
  const auto rows = read_ledger(three_rows());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].reason, "more launches");
  EXPECT_EQ(rows[1].prev_hash, rows[0].hash);
  EXPECT_EQ(current_seal(rows, "a")->seal, std::string(64, '3'));
  EXPECT_EQ(current_seal(rows, "b")->row, 2);
  EXPECT_EQ(current_seal(rows, "c"), nullptr);
  EXPECT_TRUE(read_ledger("").empty());
}

TEST(claim_ledger, runs_are_told_with_whether_they_were_abandoned) {
  LedgerRow run = seal_row("a", '1');
  run.kind = "run";
  run.nonce = std::string(32, 'n');
  run.machine_key = std::string(64, 'm');
  LedgerRow other = run, abandoned = run;
  other.nonce = std::string(32, 'o');
  abandoned.kind = "abandoned";
  abandoned.reason = "interrupted";
  const auto rows = read_ledger(append_row(append_row(append_row(three_rows(), run), other), abandoned));
  const auto runs = started_runs(rows, std::string(64, '1'));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(runs[0].abandoned);
  EXPECT_FALSE(runs[1].abandoned);
  EXPECT_EQ(runs[1].machine_key, std::string(64, 'm'));
  EXPECT_TRUE(started_runs(rows, std::string(64, '3')).empty());
  EXPECT_EQ(current_seal(rows, "a")->kind, "amend");
}

LedgerRow run_row(const std::string& kind, char nonce) {
  LedgerRow row = seal_row("a", '1');
  row.kind = kind;
  row.nonce = std::string(32, nonce);
  row.machine_key = std::string(64, 'm');
  if (kind == "finished") row.content_sha256 = std::string(64, 'd');
  return row;
}

void expect_refused(const std::string& text, const LedgerRow& row, const std::string& why,
                    harness::ExitCode code = harness::ExitCode::usage) {
  try {
    append_row(text, row);
    ADD_FAILURE() << "not refused: " << why;
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(claim_ledger, a_finished_run_names_its_document) {
  const auto rows =
      read_ledger(append_row(append_row(three_rows(), run_row("run", 'n')), run_row("finished", 'n')));
  const auto runs = started_runs(rows, std::string(64, '1'));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].content_sha256, std::string(64, 'd'));
  EXPECT_FALSE(runs[0].abandoned);
}

TEST(claim_ledger, a_run_ends_once_and_only_after_it_began) {
  const std::string begun = append_row(three_rows(), run_row("run", 'n'));
  const std::string ended = append_row(begun, run_row("finished", 'n'));
  expect_refused(ended, run_row("abandoned", 'n'), "or has ended");
  expect_refused(append_row(begun, run_row("abandoned", 'n')), run_row("finished", 'n'), "or has ended");
  expect_refused(begun, run_row("finished", 'o'), "has not begun");
  expect_refused(ended, run_row("run", 'n'), "begins no new run");
  LedgerRow moved = run_row("finished", 'n');
  moved.machine_key = std::string(64, 'k');
  expect_refused(begun, moved, "another claim, seal or machine");
  LedgerRow empty = run_row("finished", 'n');
  empty.content_sha256.clear();
  expect_refused(begun, empty, "tells no or too many documents");
}

TEST(claim_ledger, rows_that_cannot_follow_are_refused) {
  expect_refused(three_rows(), seal_row("a", '4'), "sealed already");
  LedgerRow amendment = seal_row("a", '4');
  amendment.kind = "amend";
  amendment.supersedes = std::string(64, '1');
  expect_refused(three_rows(), amendment, "another seal than the present one");
  LedgerRow unsealed = run_row("run", 'n');
  unsealed.seal = std::string(64, '8');
  expect_refused(three_rows(), unsealed, "no row before it made");
  LedgerRow odd = seal_row("a", '1');
  odd.kind = "odd";
  expect_refused(three_rows(), odd, "does not know");
  LedgerRow verdict = seal_row("a", '1');
  verdict.kind = "verdict";
  verdict.verdict = "{}";
  expect_refused(three_rows(), verdict, "tells no verdict");
}

TEST(claim_ledger, time_never_runs_backwards) {
  LedgerRow earlier = seal_row("z", '9');
  earlier.utc = "2026-11-30T23:59:59Z";
  expect_refused(three_rows(), earlier, "this system's clock", harness::ExitCode::unavailable);
}

TEST(claim_ledger, a_time_that_is_none_is_refused) {
  for (const char* utc : {"yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-12-01 00:00:00Z",
                          "2026-12-01T24:00:00Z", "2026-12-01T00:00:00", "9"}) {
    LedgerRow row = seal_row("z", '9');
    row.utc = utc;
    expect_refused("", row, "has a time that is none");
  }
}

TEST(claim_ledger, a_row_of_more_than_a_day_ahead_is_named_with_the_remedy) {
  const auto rows = read_ledger(three_rows());
  check_times(rows, "2026-12-01T00:00:00Z");
  check_times(rows, "2026-11-30T00:00:00Z");  // clocks may differ by a day
  try {
    check_times(rows, "2026-11-29T23:59:59Z");
    ADD_FAILURE() << "not noticed";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("restore ledger.jsonl"), std::string::npos) << error.what();
  }
}

TEST(claim_ledger, a_verdict_whose_machines_are_empty_objects_is_refused) {
  LedgerRow verdict = seal_row("a", '1');
  verdict.kind = "verdict";
  verdict.verdict = R"({"claim":"a","machines":[{}],"seal":")" + verdict.seal +
                    R"(","unproven":false,"verdict":"supported"})";
  expect_refused(three_rows(), verdict, "tells no verdict");
}

TEST(claim_ledger, what_nests_too_deep_is_tampering_and_no_crash) {
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  expect_tampered("{\"verdict\":" + deep + "}\n", "no ledger row");
  EXPECT_THROW(check_head({}, "{\"rows\":" + deep + "}"), harness::Error);
  expect_tampered("{\"verdict\":\"" + std::string(2 << 20, 'x') + "\"}\n", "no ledger row");
}

TEST(claim_ledger, every_altered_byte_is_noticed) {
  const std::string text = three_rows();
  for (size_t i = 0; i < text.size(); ++i) {
    std::string altered = text;
    altered[i] = altered[i] == 'x' ? 'y' : 'x';
    EXPECT_THROW(read_ledger(altered), harness::Error) << i;
  }
}

TEST(claim_ledger, removed_moved_and_doubled_rows_are_noticed) {
  const auto lines = lines_of(three_rows());
  expect_tampered(lines[1] + lines[2], "removed or moved");
  expect_tampered(lines[0] + lines[2], "removed or moved");
  expect_tampered(lines[1] + lines[0] + lines[2], "removed or moved");
  expect_tampered(lines[0] + lines[1] + lines[1] + lines[2], "removed or moved");
  expect_tampered(three_rows() + "{}\n", "no ledger row");
  expect_tampered(three_rows().substr(0, three_rows().size() - 1), "does not end");
}

TEST(claim_ledger, a_row_that_was_hashed_anew_no_longer_follows) {
  LedgerRow other = seal_row("z", '9');
  const std::string forged = append_row("", other);
  const auto lines = lines_of(three_rows());
  expect_tampered(forged + lines[1] + lines[2], "does not follow");
}

TEST(claim_ledger, rows_gone_from_the_end_are_missed_by_the_head) {
  const auto all = read_ledger(three_rows());
  const std::string head = head_of(all);
  check_head(all, head);
  const std::vector<LedgerRow> shorter(all.begin(), all.end() - 1);
  EXPECT_THROW(check_head(shorter, head), harness::Error);
  check_head(all, head_of(shorter));  // appended to since
  EXPECT_THROW(check_head(all, "{}"), harness::Error);
  EXPECT_THROW(check_head(all, "junk"), harness::Error);
}

}  // namespace
}  // namespace analysis
