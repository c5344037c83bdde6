#include "analysis/plausibility_marks.hpp"

#include <gtest/gtest.h>

#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

/// Findings after marking samples of the first probe.
std::vector<Finding> findings_with(const harness::Disturbed& disturbed) {
  auto submission = test_submission();
  submission.launches[0].series[0].disturbed = disturbed;
  std::vector<Finding> findings;
  check_marks(submission, findings);
  return findings;
}

int last_sample() {
  int samples = 0;
  const auto submission = test_submission();
  for (const auto& at_size : submission.launches[0].series[0].samples_by_size)
    samples += static_cast<int>(at_size.size());
  return samples - 1;
}

TEST(plausibility_marks, samples_that_exist_may_be_marked_by_several_reasons) {
  EXPECT_TRUE(findings_with({{"steal", {0, 1, last_sample()}}, {"cpu_wall", {1}}}).empty());
}

TEST(plausibility_marks, a_sample_that_is_not_there_cannot_have_been_disturbed) {
  const auto findings = findings_with({{"steal", {0, last_sample() + 1}}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "R03");
  EXPECT_EQ(findings[0].severity, Severity::reject);
  EXPECT_EQ(findings[0].pointer, "/launches/0/series/0/disturbed");
}

TEST(plausibility_marks, a_sample_is_marked_once_per_reason) {
  EXPECT_EQ(findings_with({{"steal", {2, 2}}}).size(), 1U);
  EXPECT_EQ(findings_with({{"steal", {2, 1}}}).size(), 1U);
}

TEST(plausibility_marks, are_part_of_the_plausibility_rules) {
  auto submission = test_submission();
  submission.launches[1].series[0].disturbed = {{"steal", {100'000}}};
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].pointer, "/launches/1/series/0/disturbed");
}

}  // namespace
}  // namespace analysis
