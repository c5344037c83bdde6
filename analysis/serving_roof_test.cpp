#include "analysis/serving_roof.hpp"

#include <gtest/gtest.h>

#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

std::optional<ServingRoof> roof_of(const harness::Submission& submission, const std::string& mode,
                                   const std::string& model = "coreflow_1_9m") {
  harness::DecodeResult result = submission.derived.decode.at(0);
  result.key.mode = mode;
  result.key.model = model;
  return serving_roof(submission, result);
}

TEST(serving_roof, is_that_of_the_smallest_cache_whose_reported_size_holds_the_weights) {
  EXPECT_EQ(roof_of(test_submission(), "warm")->level, "l3");
  EXPECT_DOUBLE_EQ(roof_of(test_submission(), "warm")->read_bytes_per_s, 40e9);
  harness::Submission scattered = test_submission();
  for (harness::Roof& roof : scattered.derived.roofs)
    roof.read_bytes_per_s = harness::Interval{20e9, 10e9, 30e9};
  EXPECT_DOUBLE_EQ(roof_of(scattered, "warm")->read_bytes_per_s, 20e9) << "the median";
  TestRun run;
  run.l2_bytes = 2 << 20;
  EXPECT_EQ(roof_of(test_submission(run), "warm")->level, "l2");
}

TEST(serving_roof, is_that_of_memory_where_the_mode_evicts_or_no_cache_holds_all_experts) {
  EXPECT_EQ(roof_of(test_submission(), "evict_flush")->level, "dram");
  EXPECT_EQ(roof_of(test_submission(), "evict_stream")->level, "dram");
  EXPECT_EQ(roof_of(test_submission(), "evict_read")->level, "l3") << "a reader may evict, or not";
  EXPECT_EQ(roof_of(test_submission(), "warm", "moe_ternary_105m")->level, "l3");
  EXPECT_EQ(roof_of(test_submission(), "warm", "moe_ternary_206m")->level, "dram");
}

TEST(serving_roof, of_a_model_that_is_not_built_in_is_where_the_bytes_of_a_token_fit) {
  EXPECT_EQ(roof_of(test_submission(), "warm", "somebodys_own")->level, "l3");
}

TEST(serving_roof, is_missing_where_it_was_not_taken_or_is_invalid_or_of_other_threads) {
  harness::Submission submission = test_submission();
  for (harness::Roof& roof : submission.derived.roofs) roof.threads = 2;
  EXPECT_FALSE(roof_of(submission, "warm"));
  submission = test_submission();
  for (harness::Roof& roof : submission.derived.roofs) roof.invalid = "faster than its ports";
  EXPECT_FALSE(roof_of(submission, "warm"));
  submission.derived.roofs.clear();
  EXPECT_FALSE(roof_of(submission, "warm"));
}

}  // namespace
}  // namespace analysis
