#include "models/token_work.hpp"

#include <gtest/gtest.h>

namespace models {
namespace {

double weight_code_bytes(const std::vector<KernelUse>& uses) {
  double bytes = 0;
  for (const KernelUse& use : uses) {
    if (use.reads == Reads::dense || use.reads == Reads::experts) bytes += use.bytes;
  }
  return bytes;
}

const KernelUse* find(const std::vector<KernelUse>& uses, const std::string& kernel, int cols, Reads reads) {
  for (const KernelUse& use : uses) {
    if (use.kernel == kernel && use.cols == cols && use.reads == reads) return &use;
  }
  return nullptr;
}

TEST(TokenWork, its_matrices_are_all_the_codes_that_a_token_reads) {
  for (const Shape& shape : shapes()) {
    double taps = 0;  // read by conv_step, a step over vectors
    for (const Block block : shape.blocks) taps += block == Block::conv ? shape.conv_taps * shape.d : 0;
    EXPECT_DOUBLE_EQ(weight_code_bytes(token_work(shape, 0, 127)) + taps,
                     static_cast<double>(cost(shape).code_bytes_per_token))
        << shape.name;
  }
}

TEST(TokenWork, the_pool_is_what_a_token_draws_from) {
  const Shape& shape = find_shape("moe_ternary_105m");
  EXPECT_DOUBLE_EQ(expert_bytes(shape), 49152);
  EXPECT_DOUBLE_EQ(pool_bytes(shape), 49152.0 * 60 * 8);
  const auto uses = token_work(shape, 0, 127);
  const KernelUse* up = find(uses, "ternary", 512, Reads::experts);
  const KernelUse* down = find(uses, "ternary", 128, Reads::experts);
  ASSERT_TRUE(up != nullptr && down != nullptr);
  EXPECT_DOUBLE_EQ(up->calls, 2 * 4 * 8);
  EXPECT_DOUBLE_EQ(up->bytes + down->bytes, 49152.0 * 4 * 8);
  EXPECT_EQ(pool_bytes(find_shape("coreflow_1_9m")), 0);
}

TEST(TokenWork, a_token_of_experts_begins_a_run_of_weights_per_block_and_one_per_shared_expert) {
  EXPECT_TRUE(weight_runs(find_shape("coreflow_1_9m")).empty());
  const auto runs = weight_runs(find_shape("moe_ternary_8m"));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].kernel, "ternary");
  EXPECT_EQ(runs[0].cols, 256);
  // Q, K and V, the product behind attention, the router, and a shared expert's last matrix.
  EXPECT_DOUBLE_EQ(runs[0].bytes, (384.0 + 256) * 256 / 4 + 16 * 256 + 256 * 80 / 4.0);
  EXPECT_DOUBLE_EQ(runs[0].count, 7);
  EXPECT_DOUBLE_EQ(runs[1].bytes, 2 * 80 * 256 / 4.0);
  EXPECT_DOUBLE_EQ(runs[1].count, 6);
}

TEST(TokenWork, attention_reads_whole_tiles_of_the_positions_so_far) {
  const Shape& shape = find_shape("coreflow_1_9m");
  const auto bytes = [&](int first, int last) {
    return find(token_work(shape, first, last), "attention", 18, Reads::kv)->bytes;
  };
  EXPECT_DOUBLE_EQ(bytes(0, 0), 2.0 * 2 * 18 * 16);  // two blocks, one K/V head, a tile
  EXPECT_DOUBLE_EQ(bytes(15, 15), 2.0 * 2 * 18 * 16);
  EXPECT_DOUBLE_EQ(bytes(16, 16), 2.0 * 2 * 18 * 32);
  EXPECT_DOUBLE_EQ(bytes(0, 31), 2.0 * 2 * 18 * 24);
  EXPECT_EQ(find(token_work(shape, 0, 0), "attention", 18, Reads::kv)->heads, 8);
}

}  // namespace
}  // namespace models
