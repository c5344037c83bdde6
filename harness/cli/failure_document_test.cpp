#include "harness/cli/failure_document.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analysis/plausibility.hpp"
#include "analysis/test_submission.hpp"
#include "harness/cli/failure_offer.hpp"
#include "harness/error.hpp"
#include "harness/submission_partial.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

const harness::PrivateNames ada{{"/srv/people/ada"}, {"engine"}, {"ada"}};

FailureTold told(const std::string& claimed) {
  FailureTold told;
  told.claimed = claimed;
  told.observed = "1.42 times";
  return told;
}

/// A file that is gone when the test ends.
struct File {
  std::string path = (std::filesystem::path(testing::TempDir()) / "failure_document_test.json").string();
  explicit File(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  ~File() { std::filesystem::remove(path); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

ExitCode code_of(const FailureGround& ground, const FailureTold& what) {
  try {
    failure_document(ground, what, ada);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::ok;
}

FailureGround run_ground() {
  FailureGround ground;
  ground.measured = analysis::test_submission();
  ground.stage = "result";
  return ground;
}

void expect_sound(const harness::Submission& submission) {
  // The run that tests share is too small for the schema: its failure is not.
  for (const auto& violation : harness::validate_document(harness::to_canonical_json(submission)))
    EXPECT_FALSE(violation.pointer.starts_with("/failure")) << violation.pointer << " " << violation.expected;
  for (const auto& finding : analysis::check_plausibility(submission))
    ADD_FAILURE() << finding.code << " " << finding.pointer << " " << finding.detail;
}

TEST(failure_document, keeps_what_was_measured_and_whose_run_it_was) {
  const FailureGround ground = run_ground();
  const harness::Submission failure = failure_document(ground, told("2.03 times"), ada);
  EXPECT_EQ(failure.kind, "failure");
  EXPECT_EQ(failure.nonce, ground.measured.nonce);
  EXPECT_EQ(failure.created_utc, ground.measured.created_utc);
  EXPECT_EQ(failure.launches.size(), ground.measured.launches.size());
  EXPECT_EQ(failure.failure->claimed, "2.03 times");
  EXPECT_EQ(failure.failure->stage, "result");
  expect_sound(failure);
}

TEST(failure_document, of_no_run_holds_the_machine_and_what_was_not_ready) {
  const harness::Submission failure = failure_document(ground_of_this_machine(), told("it builds"), ada);
  EXPECT_EQ(failure.protocol, "failure");
  EXPECT_FALSE(failure.machine.machine_key.empty());
  EXPECT_TRUE(failure.launches.empty());
  expect_sound(failure);
}

TEST(failure_document, of_an_unfinished_run_is_sound_although_launches_are_missing) {
  harness::PartialRun partial;
  partial.reason = "the measuring process died of signal 11";
  partial.exit_code = 1;
  for (size_t kept = 0; kept <= analysis::test_submission().launches.size(); ++kept) {
    partial.measured = analysis::test_submission();
    partial.measured.launches.resize(kept);
    partial.measured.interruptions = {{static_cast<int>(kept), "stopped", 1, 2}};
    const File file(harness::partial_to_json(partial));
    const FailureGround ground = read_ground(file.path);
    FailureTold words;
    words.claimed = "it ends";
    const harness::Submission failure = failure_document(ground, words, ada);
    EXPECT_EQ(failure.failure->observed, "the run did not end: the measuring process died of signal 11");
    EXPECT_EQ(failure.failure->exit_code, 1);
    for (const auto& finding : analysis::check_plausibility(failure))
      EXPECT_NE(finding.code, "R03") << finding.detail;
  }
}

TEST(failure_document, of_an_interrupted_run_says_so) {
  harness::PartialRun partial;
  partial.interrupted = true;
  partial.measured = analysis::test_submission();
  const File file(harness::partial_to_json(partial));
  const FailureGround ground = read_ground(file.path);
  EXPECT_EQ(ground.observed, "the run was interrupted");
  EXPECT_EQ(ground.exit_code, 130);
}

TEST(failure_document, refuses_what_no_failure_rests_on) {
  for (const std::string text :
       {"", "{}", "{\"interrupted\":true}", "{\"interrupted\":7,\"schema\":\"tokroof/partial/1\"}"}) {
    const File file(text);
    try {
      read_ground(file.path);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::invalid_input);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  const File again(harness::to_canonical_json(failure_document(run_ground(), told("x"), ada)));
  EXPECT_THROW(read_ground(again.path), Error) << "a failure of a failure";
  EXPECT_THROW(read_ground("/nonexistent"), Error);
}

TEST(failure_document, every_text_is_scrubbed) {
  FailureTold words;
  words.claimed = words.observed = words.source = words.log = words.stage =
      "ada@engine /srv/people/ada/x y 10.1.2.3 00:1a:2b:3c:4d:5e";
  const harness::Submission failure = failure_document(run_ground(), words, ada);
  const std::string text = harness::to_canonical_json(failure);
  for (const std::string secret : {"ada", "engine", "people", "10.1.2.3", "00:1a"})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  expect_sound(failure);
}

TEST(failure_document, refuses_texts_that_are_empty_or_too_long) {
  FailureTold words = told("x");
  for (const std::string& claimed : {std::string(), std::string(" \n"), std::string(2001, 'x')})
    EXPECT_EQ(code_of(run_ground(), told(claimed)), ExitCode::usage);
  std::string umlauts;
  for (int i = 0; i < 2000; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(code_of(run_ground(), told(umlauts)), ExitCode::ok) << "characters, not bytes";
  words.stage = std::string(65, 'x');
  EXPECT_EQ(code_of(run_ground(), words), ExitCode::usage);
  words.stage.clear();
  words.source = std::string(301, 'x');
  EXPECT_EQ(code_of(run_ground(), words), ExitCode::usage);
}

TEST(failure_document, quotes_the_end_of_a_long_log) {
  FailureTold words = told("x");
  for (int i = 0; i < 5000; ++i)
    words.log += "line " + std::to_string(i) + " of \xc3\xa4 /srv/people/ada/x\n";
  const harness::Submission failure = failure_document(run_ground(), words, ada);
  EXPECT_LE(characters(failure.failure->log_excerpt), 20'000U);
  EXPECT_TRUE(failure.failure->log_excerpt.starts_with("line "));
  EXPECT_TRUE(failure.failure->log_excerpt.ends_with("line 4999 of \xc3\xa4 (path)\n"));
  expect_sound(failure);
  words.log = std::string(100'000, 'x');
  expect_sound(failure_document(run_ground(), words, ada));
  words.log.clear();
  for (int i = 0; i < 60'000; ++i) words.log += "\xc3\xa4";
  expect_sound(failure_document(run_ground(), words, ada));
}

TEST(failure_document, quotes_the_end_of_a_last_line_longer_than_all) {
  FailureTold words = told("x");
  for (const std::string end : {"", "\n", "\n\n"}) {
    words.log = end_of_log("first\n" + std::string(300'000, 'x') + " the end" + end);
    const harness::Submission failure = failure_document(run_ground(), words, ada);
    EXPECT_EQ(characters(failure.failure->log_excerpt), 20'000U);
    EXPECT_TRUE(failure.failure->log_excerpt.ends_with("the end" + end));
    expect_sound(failure);
  }
  std::string bars;
  for (int i = 0; i < 30'000; ++i) bars += "\rdone " + std::to_string(i);
  words.log = end_of_log(bars + "\r\n");
  const std::string excerpt = failure_document(run_ground(), words, ada).failure->log_excerpt;
  EXPECT_TRUE(excerpt.starts_with("done "));
  EXPECT_TRUE(excerpt.ends_with("\ndone 29999\n"));
  EXPECT_GT(excerpt.size(), 19'900U);
}

TEST(failure_document, a_cut_log_begins_with_no_half_path) {
  FailureTold words = told("x");
  for (size_t shift = 0; shift < 40; ++shift) {
    words.log = end_of_log("/data/acmecorp/secretproject/models/file.gguf " +
                           std::string((size_t{256} << 10) - 40 + shift, 'y') + "\n");
    EXPECT_EQ(words.log.find("project"), std::string::npos) << shift;
  }
}

TEST(failure_document, counts_characters_not_bytes) {
  FailureTold words = told("x");
  for (int i = 0; i < 15'000; ++i) words.log += "\xe2\x82\xac";
  EXPECT_EQ(characters(failure_document(run_ground(), words, ada).failure->log_excerpt), 15'000U);
  words.log += words.log;
  const harness::Submission failure = failure_document(run_ground(), words, ada);
  EXPECT_EQ(characters(failure.failure->log_excerpt), 20'000U);
  expect_sound(failure);
}

TEST(failure_offer, is_made_for_what_others_should_know_and_nothing_else) {
  EXPECT_EQ(
      failure_offer(ExitCode::internal, "/a/b.json", "quick", ""),
      "to tell others: tokroof failure new --from /a/b.json --claimed 'tokroof run --quick ends with right "
      "results' --exit-code 1");
  EXPECT_NE(failure_offer(ExitCode::wrong_result, "/a b/c", "default", "").find("--from '/a b/c'"),
            std::string::npos);
  EXPECT_NE(failure_offer(ExitCode::unavailable, "", "claim", "it's over").find("--observed 'it'\\''s over'"),
            std::string::npos);
  for (const ExitCode code :
       {ExitCode::ok, ExitCode::usage, ExitCode::store, ExitCode::invalid_input, ExitCode::interrupted})
    EXPECT_EQ(failure_offer(code, "x", "quick", ""), "");
}

}  // namespace
}  // namespace cli
