#include "harness/cli/token_counts.hpp"

#include <gtest/gtest.h>

#include "harness/cli/comparison_counts.hpp"

namespace cli {
namespace {

TokenCounts some_counts() {
  TokenCounts counts;
  counts.model = "m";
  counts.isa = "scalar";
  counts.kernel_version = "1";
  counts.position_last = 1;
  counts.weight_bytes_per_token = 1000;
  counts.counted.tokens = 2;
  counts.counted.packed_bytes = 4096;
  counts.counted.logits_sha256 = std::string(64, 'a');
  counts.counted.kernels = {{"gemv", 144, models::Touches::weights, 10, 2000, 500},
                            {"attention_scores", 18, models::Touches::kv, 4, 600, 40},
                            {"quantise", 0, models::Touches::vectors, 6, 80, 0}};
  return counts;
}

std::string answer(const TokenCounts& counts) {
  return nlohmann::ordered_json::array({to_json(counts)}).dump();
}

TEST(TokenCounts, are_told_per_token_by_what_is_read) {
  const PerToken each = per_token(some_counts());
  EXPECT_EQ(each.weight_bytes, 1000);
  EXPECT_EQ(each.kv_bytes, 300);
  EXPECT_EQ(each.vector_bytes, 40);
  EXPECT_EQ(each.macs, 270);
  EXPECT_EQ(each.calls, 10);
}

TEST(TokenCounts, of_two_that_count_the_same_nothing_changed) {
  const ComparedCounts compared = compare_counts("m", answer(some_counts()), answer(some_counts()));
  EXPECT_EQ(compared.word, "same");
  EXPECT_TRUE(compared.changes.empty());
}

TEST(TokenCounts, each_changed_figure_is_named_with_both_values) {
  TokenCounts other = some_counts();
  other.counted.kernels[0].bytes += 64;
  other.counted.kernels.pop_back();
  const ComparedCounts compared = compare_counts("m", answer(some_counts()), answer(other));
  EXPECT_EQ(compared.word, "changed");
  ASSERT_EQ(compared.changes.size(), 4u);
  EXPECT_EQ(compared.changes[0].what, "gemv of 144 columns: bytes");
  EXPECT_EQ(compared.changes[0].before, "2000");
  EXPECT_EQ(compared.changes[0].after, "2064");
  EXPECT_EQ(compared.changes[1].what, "quantise: bytes");
  EXPECT_EQ(compared.changes[1].after, "-");
}

TEST(TokenCounts, other_logits_are_a_change_although_the_work_is_the_same) {
  TokenCounts other = some_counts();
  other.counted.logits_sha256 = std::string(64, 'b');
  EXPECT_EQ(compare_counts("m", answer(some_counts()), answer(other)).word, "changed");
}

TEST(TokenCounts, instructions_of_a_cpu_that_counts_are_shown_and_are_no_change) {
  TokenCounts before = some_counts(), after = some_counts();
  before.instructions = 1000;
  after.instructions = 1001;
  const ComparedCounts compared = compare_counts("m", answer(before), answer(after));
  EXPECT_EQ(compared.word, "same");
  EXPECT_EQ(compared.old_instructions, 1000);
  EXPECT_EQ(compared.new_instructions, 1001);
  EXPECT_EQ(compare_counts("m", answer(some_counts()), answer(after)).old_instructions, 0);
}

TEST(TokenCounts, an_answer_that_is_none_leaves_the_work_unknown) {
  nlohmann::ordered_json entry = to_json(some_counts());
  entry["kernels"] = 7;
  for (const std::string& bad : {std::string(), std::string("{"), std::string("[]"), std::string("[1]"),
                                 std::string("[{}]"), "[" + entry.dump() + "]"}) {
    const ComparedCounts compared = compare_counts("m", answer(some_counts()), bad);
    EXPECT_EQ(compared.word, "unknown") << bad;
    EXPECT_FALSE(compared.why.empty());
  }
}

}  // namespace
}  // namespace cli
