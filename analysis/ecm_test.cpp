#include "analysis/ecm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/test_kernel_rates.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

const KernelSpeed speed{100e-9, 80e9, 40e9, 10e9, 0, 0, 0};

harness::Submission probed(const char* model = "coreflow_1_9m", const TestRun& run = {}) {
  auto made = test_submission(run);
  add_test_kernels(made, "avx2", models::find_shape(model), speed);
  return made;
}

harness::DecodeKey key_of(const harness::Submission& from, const char* model, const char* mode,
                          const char* routing = "none") {
  auto key = decode_key(from.plans[0], from.machine, mode);
  key.model = model;
  key.routing = routing;
  key.position_first = 0;
  key.position_last = 127;
  return key;
}

EcmForecast forecast(const harness::Submission& from, const char* model, const char* mode,
                     const char* routing = "none") {
  const auto made = ecm_forecast(from, models::find_shape(model), key_of(from, model, mode, routing));
  if (const auto* why = std::get_if<harness::Unavailable>(&made)) throw std::runtime_error(why->reason);
  return std::get<EcmForecast>(made);
}

/// Σ calls · 100 ns + bytes ÷ rate, with one rate for weights and K and V.
double by_hand(const char* model, double weights_rate, double kv_rate) {
  double seconds = 0;
  for (const auto& use : models::token_work(models::find_shape(model), 0, 127)) {
    const double rate = use.reads == models::Reads::nothing ? 80e9
                        : use.reads == models::Reads::kv    ? kv_rate
                                                            : weights_rate;
    seconds += use.calls * 100e-9 + use.bytes / rate;
  }
  return seconds;
}

TEST(Ecm, a_token_is_the_sum_of_its_kernels_at_the_speed_of_the_level_that_serves_them) {
  const auto from = probed();
  // 1.9 MB lie in the invented L3, which the curve says serves all of it.
  EXPECT_NEAR(forecast(from, "coreflow_1_9m", "warm").seconds / by_hand("coreflow_1_9m", 40e9, 40e9), 1,
              1e-4);
  EXPECT_NEAR(forecast(from, "coreflow_1_9m", "evict_flush").seconds / by_hand("coreflow_1_9m", 10e9, 80e9),
              1, 1e-4);
  EXPECT_NEAR(forecast(from, "coreflow_1_9m", "evict_stream").seconds / by_hand("coreflow_1_9m", 10e9, 10e9),
              1, 1e-4);
  EXPECT_EQ(forecast(from, "coreflow_1_9m", "spin").seconds, forecast(from, "coreflow_1_9m", "warm").seconds);
}

TEST(Ecm, a_later_position_costs_more) {
  const auto from = probed();
  auto key = key_of(from, "coreflow_1_9m", "warm");
  const auto& shape = models::find_shape("coreflow_1_9m");
  const double early = std::get<EcmForecast>(ecm_forecast(from, shape, key)).seconds;
  key.position_first = 896;
  key.position_last = 1023;
  EXPECT_GT(std::get<EcmForecast>(ecm_forecast(from, shape, key)).seconds, early);
}

TEST(Ecm, says_from_which_cache_size_on_a_mixture_of_experts_has_constant_speed) {
  for (const char* model : {"moe_ternary_105m", "moe_ternary_206m"}) {
    TestRun run;
    const auto small = forecast(probed(model, run), model, "warm", "uniform");
    EXPECT_NEAR(small.constant_from_bytes, models::pool_bytes(models::find_shape(model)) + 6.2e6, 0.6e6);
    EXPECT_EQ(small.experts.dram > 0, small.last_cache_bytes < small.constant_from_bytes) << model;
  }
  const auto fits = forecast(probed("moe_ternary_105m"), "moe_ternary_105m", "warm", "uniform");
  const auto not_all = forecast(probed("moe_ternary_402m"), "moe_ternary_402m", "warm", "uniform");
  EXPECT_EQ(fits.experts.dram, 0);
  EXPECT_GT(not_all.experts.dram, 0.5);
  const auto sticky = forecast(probed("moe_ternary_402m"), "moe_ternary_402m", "warm", "sticky:0.45");
  EXPECT_NEAR(sticky.experts.l3, 0.45 + 0.55 * not_all.experts.l3, 1e-9);
  EXPECT_LT(sticky.seconds, not_all.seconds);
}

TEST(Ecm, a_jump_to_each_expert_in_memory_costs_what_chunked_stream_says) {
  auto from = probed("moe_ternary_402m");
  const double without = forecast(from, "moe_ternary_402m", "evict_flush", "uniform").seconds;
  // 49,152 bytes at 8 GB/s instead of memory's 10.
  auto chunks = test_curve("chunked_stream", "bytes", {49152}, [](int64_t) { return 8e9; });
  chunks.params["pool_bytes"] = int64_t{128} << 20;
  from.launches[0].series.push_back(chunks);
  const double jump_s = 49152 / 8e9 - 49152 / 10e9;
  EXPECT_NEAR(forecast(from, "moe_ternary_402m", "evict_flush", "uniform").seconds - without, 4 * 8 * jump_s,
              1e-9);
}

TEST(Ecm, the_interval_is_the_wider_for_the_models_own_error) {
  const auto from = probed();
  const auto key = key_of(from, "coreflow_1_9m", "warm");
  const auto& shape = models::find_shape("coreflow_1_9m");
  const auto interval = tokens_per_s(std::get<EcmForecast>(ecm_forecast(from, shape, key)), {1.25, 0});
  EXPECT_NEAR(interval.high / interval.median, 1.25, 1e-6);  // the invented samples have no spread
  EXPECT_NEAR(interval.median / interval.low, 1.25, 1e-6);
}

TEST(Ecm, refuses_what_was_not_measured_and_says_so) {
  const auto from = probed();
  const auto& shape = models::find_shape("coreflow_1_9m");
  const auto reason = [&](const harness::Submission& given, const harness::DecodeKey& key) {
    return std::get<harness::Unavailable>(ecm_forecast(given, shape, key)).reason;
  };
  auto key = key_of(from, "coreflow_1_9m", "warm");
  EXPECT_EQ(reason(test_submission(), key), "kernel_rates has not run");
  key.threads = 2;
  EXPECT_EQ(reason(from, key), "kernel_rates measures one thread");
  key.threads = 1;
  key.arithmetic = "float";
  EXPECT_EQ(reason(from, key), "kernel_rates measures integer kernels alone");
}

TEST(Ecm, never_sees_a_decode_sample) {
  auto from = probed();
  const double before = forecast(from, "coreflow_1_9m", "warm").seconds;
  for (auto& launch : from.launches) {
    if (launch.purpose == "probes") continue;
    for (auto& series : launch.series) {
      for (auto& ns : series.samples) ns *= 3;
    }
  }
  EXPECT_EQ(forecast(from, "coreflow_1_9m", "warm").seconds, before);
}

}  // namespace
}  // namespace analysis
