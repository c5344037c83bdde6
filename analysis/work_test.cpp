#include "analysis/work.hpp"

#include <gtest/gtest.h>

#include "analysis/microarchitectures.hpp"

namespace analysis {
namespace {

TEST(work, of_a_dense_model_is_its_bytes_and_multiply_adds) {
  const Work work = work_of(models::find_shape("coreflow_1_9m"));
  EXPECT_EQ(work.weight_bytes, 1'933'600);
  EXPECT_EQ(work.dense_bytes, 1'933'600);
  EXPECT_EQ(work.pool_bytes, 0);
  EXPECT_EQ(work.mean_position, 544);
  EXPECT_EQ(work.attention_macs, 2.0 * 2 * 144 * 545);
  EXPECT_NEAR(work.kv_bytes, 90112.0 * 545 / 1024, 1);
}

TEST(work, of_few_bits_counts_multiply_adds_as_int8_and_trusts_them_less) {
  const Work dense = work_of(models::find_shape("coreflow_1_9m")),
             low = work_of(models::find_shape("dense_44m_q3"));
  EXPECT_EQ(dense.macs,
            static_cast<double>(models::cost(models::find_shape("coreflow_1_9m")).macs_per_token));
  EXPECT_EQ(dense.macs_spread, 1);
  const double macs = static_cast<double>(models::cost(models::find_shape("dense_44m_q3")).macs_per_token);
  const auto& speed = shared_priors().format_speed;
  const double head = 9216.0 * 512;
  EXPECT_NEAR(low.macs, head / speed.at("group4").value + (macs - head) / speed.at("group3").value, 1);
  EXPECT_GT(low.macs_spread, 1);
}

TEST(work, of_a_mixture_of_experts_parts_its_pool_from_what_every_token_reads) {
  const models::Shape& shape = models::find_shape("moe_ternary_105m");
  const models::Cost cost = models::cost(shape);
  const Work work = work_of(shape);
  EXPECT_NEAR(work.dense_bytes + work.pool_bytes, static_cast<double>(cost.weight_bytes), 1);
  EXPECT_NEAR(work.dense_bytes + work.pool_bytes * 4 / 60, static_cast<double>(cost.weight_bytes_per_token),
              1);
  EXPECT_GT(work.pool_bytes, 23e6);
  EXPECT_LT(work.pool_bytes, 24e6);
}

TEST(work, of_bytes_alone_takes_all_of_them_for_drawn_when_a_token_reads_a_part) {
  const Work whole = work_of_bytes(19'800'000, 19'800'000), part = work_of_bytes(19'800'000, 7'700'000);
  EXPECT_EQ(whole.dense_bytes, 19'800'000);
  EXPECT_EQ(whole.pool_bytes, 0);
  EXPECT_EQ(part.weight_bytes, 7'700'000);
  EXPECT_EQ(part.dense_bytes, 0);
  EXPECT_EQ(part.pool_bytes, 19'800'000);
  EXPECT_FALSE(part.knows_compute);
}

}  // namespace
}  // namespace analysis
