#include "analysis/expert_speed.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/test_kernel_rates.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

constexpr const char* model = "moe_ternary_105m";

harness::Submission probed(const TestExperts& experts = {}) {
  auto made = test_submission();
  made.launches[0].series.push_back(test_expert_series("avx2", models::find_shape(model), experts));
  return made;
}

ExpertSpeed speed(const harness::Submission& from) {
  const auto found = expert_speed(from, "avx2", models::find_shape(model));
  if (const auto* why = std::get_if<harness::Unavailable>(&found)) throw std::runtime_error(why->reason);
  return std::get<ExpertSpeed>(found);
}

ExpertTime time_of(const char* routing, double token_s, const TestExperts& experts = {}) {
  const auto made = expert_time(speed(probed(experts)), models::find_shape(model), routing, token_s);
  if (const auto* why = std::get_if<harness::Unavailable>(&made)) throw std::runtime_error(why->reason);
  return std::get<ExpertTime>(made);
}

TEST(ExpertSpeed, is_what_the_series_of_the_same_pool_says) {
  const ExpertSpeed found = speed(probed());
  EXPECT_NEAR(found.near_s, 500e-9, 1e-12);
  EXPECT_NEAR(found.dram_s, 2000e-9, 1e-12);
  ASSERT_EQ(found.drawn.size(), 2u);
  EXPECT_NEAR(found.drawn[0].token_s, 100e-6, 1e-12);
  EXPECT_NEAR(found.drawn[1].expert_s, 1500e-9, 1e-12);
  EXPECT_NEAR(found.log_width, 0, 1e-9);
}

TEST(ExpertSpeed, of_another_pool_isa_or_an_incomplete_series_is_unavailable) {
  const auto& shape = models::find_shape(model);
  const auto from = probed();
  EXPECT_FALSE(available(expert_speed(from, "scalar", shape)));
  EXPECT_FALSE(available(expert_speed(from, "avx2", models::find_shape("moe_ternary_206m"))));
  EXPECT_FALSE(available(expert_speed(from, "avx2", models::find_shape("coreflow_1_9m"))));
  auto less = from;
  less.launches[0].series.back().params["levels"] = std::string("near dram");
  EXPECT_FALSE(available(expert_speed(less, "avx2", shape)));
  auto failed = from;
  failed.launches[0].series.back().status = harness::Status::failed;
  EXPECT_FALSE(available(expert_speed(failed, "avx2", shape)));
}

TEST(ExpertSpeed, uniform_draws_cost_more_the_longer_a_token_lasts) {
  EXPECT_NEAR(time_of("uniform", 50e-6).seconds, 1000e-9, 1e-12);
  EXPECT_NEAR(time_of("none", 150e-6).seconds, 1250e-9, 1e-12);
  EXPECT_NEAR(time_of("uniform", 900e-6).seconds, 1500e-9, 1e-12);
  EXPECT_NEAR(time_of("uniform", 100e-6).hit_ratio, 2.0 / 3, 1e-6);
}

TEST(ExpertSpeed, sticky_choices_are_near_and_what_is_drawn_waits_the_longer) {
  // Half of the choices are kept, the other half drawn as in tokens of 150 us.
  EXPECT_NEAR(time_of("sticky:0.5", 75e-6).seconds, 0.5 * 500e-9 + 0.5 * 1250e-9, 1e-12);
  EXPECT_NEAR(time_of("sticky:1", 75e-6).seconds, 500e-9, 1e-12);
  EXPECT_NEAR(time_of("sticky:0", 150e-6).seconds, time_of("uniform", 150e-6).seconds, 1e-12);
}

TEST(ExpertSpeed, skewed_choices_find_more_in_the_same_cache) {
  const double uniform = time_of("uniform", 100e-6).seconds, skewed = time_of("zipf:1", 100e-6).seconds;
  EXPECT_LT(skewed, uniform);
  EXPECT_GT(skewed, 500e-9);
  TestExperts unflushed;
  unflushed.dram_ns = 0;
  const auto made = speed(probed(unflushed));
  EXPECT_FALSE(available(expert_time(made, models::find_shape(model), "zipf:1", 100e-6)));
  EXPECT_EQ(std::get<ExpertTime>(expert_time(made, models::find_shape(model), "uniform", 100e-6)).hit_ratio,
            1);
}

TEST(ExpertSpeed, a_traces_file_is_not_known_and_slower_than_memory_is_no_negative_share) {
  EXPECT_FALSE(available(expert_time(speed(probed()), models::find_shape(model), "file:abc", 1e-4)));
  TestExperts scattered;
  scattered.pool_ns = 2500;
  EXPECT_EQ(time_of("uniform", 100e-6, scattered).hit_ratio, 0);
}

}  // namespace
}  // namespace analysis
