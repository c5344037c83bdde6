#include "models/kernel_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/kernels/select.hpp"
#include "models/padded.hpp"

namespace models {
namespace {

CountedTokens count(const char* model, const Kernels& table = Kernels{}, int first = 0, int last = 3,
                    Arithmetic arithmetic = Arithmetic::int8) {
  return count_tokens(find_shape(model), synthetic_source(1), table, arithmetic, nullptr, first, last);
}

int64_t sum(const CountedTokens& counted, Touches touches, int64_t KernelCount::*figure) {
  int64_t all = 0;
  for (const KernelCount& each : counted.kernels) all += each.touches == touches ? each.*figure : 0;
  return all;
}

const KernelCount* find(const CountedTokens& counted, const std::string& kernel, int cols) {
  const auto found = std::find_if(counted.kernels.begin(), counted.kernels.end(), [&](const auto& each) {
    return each.kernel == kernel && each.cols == cols;
  });
  return found == counted.kernels.end() ? nullptr : &*found;
}

TEST(KernelCounts, the_matrices_that_are_called_are_those_of_the_shape) {
  for (const char* model : {"coreflow_1_9m", "moe_ternary_8m", "dense_44m_q3"}) {
    const CountedTokens counted = count(model, Kernels{}, 1, 2);
    EXPECT_EQ(counted.tokens, 2);
    const Shape& shape = find_shape(model);
    // f1 and f2 of one matrix: the rows between them, which make f2 begin a lane of 16, are multiplied, too.
    const auto blocks = static_cast<int64_t>(shape.blocks.size());
    const int64_t between =
        shape.body_format == Format::ternary ? 0 : blocks * (padded16(shape.ff) - shape.ff) * shape.d;
    EXPECT_EQ(sum(counted, Touches::weights, &KernelCount::macs), 2 * (cost(shape).macs_per_token + between))
        << model;
  }
}

TEST(KernelCounts, a_table_reads_no_less_than_the_models_codes_and_little_more) {
  for (const Kernels* table : kernel_tables()) {
    if (!missing_feature(*table, harness::read_cpu_features()).empty()) continue;
    const CountedTokens counted = count("coreflow_1_9m", *table);
    const double bytes = static_cast<double>(sum(counted, Touches::weights, &KernelCount::bytes)) / 4;
    const auto codes = static_cast<double>(cost(find_shape("coreflow_1_9m")).code_bytes_per_token);
    EXPECT_GE(bytes, codes) << table->isa;
    EXPECT_LE(bytes, 1.2 * codes) << table->isa;
  }
}

TEST(KernelCounts, twice_the_same_and_whatever_the_table_the_same_work) {
  const CountedTokens once = count("coreflow_1_9m"), again = count("coreflow_1_9m");
  EXPECT_EQ(once.kernels, again.kernels);
  EXPECT_EQ(once.logits_sha256, again.logits_sha256);
  const Kernels& widest = select_kernels(kernel_tables(), harness::read_cpu_features(), "");
  const CountedTokens wide = count("coreflow_1_9m", widest);
  EXPECT_EQ(wide.logits_sha256, once.logits_sha256);
  EXPECT_EQ(sum(wide, Touches::weights, &KernelCount::macs), sum(once, Touches::weights, &KernelCount::macs));
}

TEST(KernelCounts, attention_grows_by_whole_tiles_and_nothing_else_does) {
  const CountedTokens early = count("coreflow_1_9m", Kernels{}, 15, 15),
                      late = count("coreflow_1_9m", Kernels{}, 16, 16);
  const KernelCount *scores = find(early, "attention_scores", 18),
                    *later = find(late, "attention_scores", 18);
  ASSERT_TRUE(scores != nullptr && later != nullptr);
  // Two blocks, one K/V head of 18, a tile of 16 positions more, and a scale.
  EXPECT_EQ(later->bytes - scores->bytes, 2 * (16 * 18 + 4));
  EXPECT_EQ(later->macs - scores->macs, 2 * 8 * 18);
  EXPECT_EQ(sum(early, Touches::weights, &KernelCount::bytes),
            sum(late, Touches::weights, &KernelCount::bytes));
}

TEST(KernelCounts, a_model_of_another_shape_has_other_bytes) {
  EXPECT_NE(sum(count("coreflow_1_9m"), Touches::weights, &KernelCount::bytes),
            sum(count("coreflow_12_6m"), Touches::weights, &KernelCount::bytes));
}

TEST(KernelCounts, float_arithmetic_has_kernels_of_its_own) {
  const CountedTokens counted = count("coreflow_1_9m", Kernels{}, 0, 1, Arithmetic::float32);
  EXPECT_NE(find(counted, "gemv_float", 144), nullptr);
  EXPECT_EQ(find(counted, "gemv", 144), nullptr);
}

TEST(KernelCounts, a_table_whose_packed_form_is_larger_reads_more) {
  Kernels larger;
  larger.packed_bytes = [](int rows, int cols) { return scalar::packed_bytes(rows, cols) + 64; };
  EXPECT_GT(sum(count("coreflow_1_9m", larger), Touches::weights, &KernelCount::bytes),
            sum(count("coreflow_1_9m"), Touches::weights, &KernelCount::bytes));
}

TEST(KernelCounts, positions_beyond_the_context_are_refused) {
  for (const auto& [first, last] : {std::pair(0, 1024), std::pair(3, 2), std::pair(-1, 2)}) {
    try {
      count("coreflow_1_9m", Kernels{}, first, last);
      ADD_FAILURE() << first << ":" << last;
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::usage);
    }
  }
  EXPECT_EQ(count("coreflow_1_9m").tokens, 4) << "counting works after a refusal";
}

}  // namespace
}  // namespace models
