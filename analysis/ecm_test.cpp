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

TEST(Ecm, experts_that_were_drawn_from_such_a_pool_take_what_they_took) {
  auto from = probed("moe_ternary_105m");
  const auto& shape = models::find_shape("moe_ternary_105m");
  const auto experts_s = [&](const char* mode, const char* routing) {
    const EcmForecast made = forecast(from, "moe_ternary_105m", mode, routing);
    for (const auto& part : made.parts) {
      if (part.name == "experts") return part.seconds;
    }
    return 0.0;
  };
  const double by_bytes = experts_s("warm", "uniform");
  from.launches[0].series.push_back(test_expert_series("avx2", shape));
  // The invented token lasts longer than both that were measured: what the slower one took.
  EXPECT_NEAR(experts_s("warm", "uniform"), 4 * 8 * 1500e-9, 1e-9);
  EXPECT_NEAR(experts_s("warm", "sticky:1"), 4 * 8 * 500e-9, 1e-9);
  EXPECT_NEAR(experts_s("evict_flush", "uniform"), 4 * 8 * 2000e-9, 1e-9);
  EXPECT_NE(by_bytes, experts_s("warm", "uniform"));
  const EcmForecast made = forecast(from, "moe_ternary_105m", "warm", "uniform");
  EXPECT_NEAR(made.experts.l3, 1.0 / 3, 1e-6);
  EXPECT_NEAR(made.experts.dram, 2.0 / 3, 1e-6);
}

TEST(Ecm, beside_an_antagonist_bytes_take_as_much_longer_as_interference_saw) {
  auto from = probed();
  const auto series = [&](const char* antagonist, std::vector<std::vector<int64_t>> samples) {
    harness::Series made;
    made.probe = "interference";
    made.placement = "same_llc";
    made.params["antagonist"] = std::string(antagonist);
    made.work_unit = "bytes";
    made.sizes_bytes = made.work_per_sample = {512 << 10, 1 << 20};
    made.samples_by_size = std::move(samples);
    from.launches[0].series.push_back(made);
  };
  auto key = key_of(from, "coreflow_1_9m", "evict_read");
  key.placement = "same_llc";
  const auto& shape = models::find_shape("coreflow_1_9m");
  const double alone = std::get<EcmForecast>(ecm_forecast(from, shape, key)).seconds;
  series("idle", {{100, 100}, {200, 200}});
  series("evict_read", {{100, 100}, {400, 400}});
  double shared = 0;
  for (const auto& use : models::token_work(shape, 0, 127))
    shared += use.reads == models::Reads::nothing ? 0 : use.bytes / 40e9;
  EXPECT_NEAR(std::get<EcmForecast>(ecm_forecast(from, shape, key)).seconds - alone, shared, 0.01 * shared);
  key.mode = "evict_write";  // not measured
  EXPECT_EQ(std::get<EcmForecast>(ecm_forecast(from, shape, key)).seconds, alone);
}

TEST(Ecm, a_jump_to_each_expert_in_memory_costs_what_derived_jumps_say) {
  auto from = probed("moe_ternary_402m");
  const double without = forecast(from, "moe_ternary_402m", "evict_flush", "uniform").seconds;
  // 200 ns to begin a chunk, then 8 GB/s.
  auto chunks = test_curve("chunked_stream", "bytes", {8192, 49152, 262144}, [](int64_t size) {
    return static_cast<double>(size) / (200e-9 + static_cast<double>(size) / 8e9);
  });
  chunks.params["pool_bytes"] = int64_t{128} << 20;
  from.launches[0].series.push_back(chunks);
  EXPECT_NEAR(forecast(from, "moe_ternary_402m", "evict_flush", "uniform").seconds - without, 4 * 8 * 200e-9,
              1e-8);
}

TEST(Ecm, a_stream_pushes_addresses_out_too_which_costs_small_pages_what_the_probe_says) {
  auto from = probed();
  const auto seconds = [&](const char* mode, int64_t page_bytes) {
    auto key = key_of(from, "coreflow_1_9m", mode);
    key.page_bytes = page_bytes;
    return std::get<EcmForecast>(ecm_forecast(from, models::find_shape("coreflow_1_9m"), key)).seconds;
  };
  const double streamed = seconds("evict_stream", 4096), flushed = seconds("evict_flush", 4096);
  // 2 MiB on 512 pages: after 16 MiB all is still cached; after 32 MiB it is gone, and 10 ns a page with it.
  harness::Series eviction, small_pages;
  eviction.probe = "eviction";
  small_pages.probe = "eviction_small_pages";
  eviction.work_unit = small_pages.work_unit = "bytes";
  eviction.params = {{"warm_lap_ns", int64_t{18'000}},        {"warm_lap_low_ns", int64_t{18'000}},
                     {"warm_lap_high_ns", int64_t{18'000}},   {"flushed_lap_ns", int64_t{48'000}},
                     {"flushed_lap_low_ns", int64_t{48'000}}, {"flushed_lap_high_ns", int64_t{48'000}}};
  eviction.sizes_bytes = {16 << 20, 32 << 20};
  eviction.work_per_sample = {2 << 20, 2 << 20};
  eviction.samples_by_size = {{20'000}, {48'000}};
  small_pages.sizes_bytes = {16 << 20, 32 << 20, 16 << 20, 32 << 20};
  small_pages.work_per_sample.assign(4, 2 << 20);
  small_pages.samples_by_size = {{48'000}, {48'000}, {20'000}, {53'120}};
  from.launches[0].series.push_back(eviction);
  from.launches[0].series.push_back(small_pages);
  double bytes = 0;
  for (const auto& use : models::token_work(models::find_shape("coreflow_1_9m"), 0, 127))
    bytes += use.reads == models::Reads::nothing ? 0 : use.bytes;
  EXPECT_NEAR(seconds("evict_stream", 4096) - streamed, bytes / 4096 * 10e-9, 1e-10);
  EXPECT_EQ(seconds("evict_stream", 2 << 20), streamed);
  EXPECT_EQ(seconds("evict_flush", 4096), flushed);
}

TEST(Ecm, after_a_stream_calls_take_what_they_took_after_one) {
  const char* model = "moe_ternary_8m";
  const auto& shape = models::find_shape(model);
  const auto with = [&](const KernelSpeed& measured, int64_t expert_ns) {
    auto made = test_submission();
    add_test_kernels(made, "avx2", shape, measured);
    TestExperts experts;
    experts.streamed_ns = expert_ns;
    made.launches[0].series.push_back(test_expert_series("avx2", shape, experts));
    return made;
  };
  KernelSpeed measured = speed;
  // In order 1.5 times as long as flushed; calls apart of 16 and 64 kB 3 and 10 us, flushed ones 2 and 7 us.
  measured.streamed_ratio = 1.5;
  measured.streamed_calls = {{16'000, 3e-6}, {64'000, 10e-6}};
  measured.apart_calls = {{16'000, 2e-6}, {64'000, 7e-6}};
  const auto from = with(measured, 3000);
  const auto part = [&](const harness::Submission& given, const char* mode, const char* name) {
    for (const auto& one : forecast(given, model, mode, "uniform").parts) {
      if (one.name == name) return one.seconds;
    }
    return 0.0;
  };
  EXPECT_NEAR(part(from, "evict_stream", "experts"), 2 * 6 * 3000e-9, 1e-9);
  double attention = 0, flushed = 0;
  for (const auto& use : models::token_work(shape, 0, 127)) {
    const double each = use.calls > 0 ? use.bytes / use.calls : 0;
    if (use.reads == models::Reads::kv) attention += use.calls * (3e-6 + (each - 16'000) * 7e-6 / 48'000);
    if (use.reads == models::Reads::dense) flushed += use.bytes / 10e9;
  }
  EXPECT_NEAR(part(from, "evict_stream", "attention") / attention, 1, 1e-3);
  const double calls_s = part(from, "evict_flush", "weights") - flushed;
  EXPECT_NEAR(part(from, "evict_stream", "weights") / (1.5 * flushed + calls_s), 1, 0.02);
  EXPECT_EQ(part(from, "evict_stream", "addresses"), 0) << "they are in what was measured";
  // Seven runs of a block's matrices and six of a shared expert's begin; 10 kB flushed apart and in order.
  const double short_run = 2e-6 + (10'240 - 16'000) * 5e-6 / 48'000 - (0.1e-6 + 10'240 / 10e9);
  const double block = 7e-6 - (0.1e-6 + 64'000 / 10e9);
  EXPECT_GT(part(from, "evict_flush", "jumps"), 6 * short_run);
  EXPECT_LT(part(from, "evict_flush", "jumps"), 6 * short_run + 7 * std::max(block, short_run) + 1e-6);
  EXPECT_EQ(part(from, "warm", "jumps"), 0);
  EXPECT_EQ(part(with(speed, 0), "evict_flush", "jumps"), 0) << "not measured";
}

TEST(Ecm, company_costs_experts_no_more_than_all_their_hits) {
  const char* model = "moe_ternary_105m";
  auto from = probed(model);
  from.launches[0].series.push_back(test_expert_series("avx2", models::find_shape(model)));
  const auto interference = [&](const char* antagonist, int64_t ns) {
    harness::Series made;
    made.probe = "interference";
    made.placement = "same_llc";
    made.params["antagonist"] = std::string(antagonist);
    made.work_unit = "bytes";
    made.sizes_bytes = made.work_per_sample = {512 << 10, 32 << 20};
    made.samples_by_size = {{100, 100}, {ns, ns}};
    from.launches[0].series.push_back(made);
  };
  interference("idle", 100);
  interference("evict_read", 900);
  auto key = key_of(from, model, "evict_read", "uniform");
  key.placement = "same_llc";
  const auto made = std::get<EcmForecast>(ecm_forecast(from, models::find_shape(model), key));
  for (const auto& part : made.parts) {
    if (part.name == "experts") {
      EXPECT_NEAR(part.seconds, 4 * 8 * 2000e-9, 1e-9);
    }
  }
  EXPECT_NEAR(made.experts.dram, 1, 1e-9);
  const double alone = forecast(from, model, "warm", "uniform").seconds;
  EXPECT_GE(made.log_width, std::log(made.seconds / alone)) << "company may be gone, or be worse";
}

/// A retention probe that found half of an L3 set gone after so long.
harness::Series retention(double half_life_ms) {
  constexpr int delays = 4;
  harness::Series series;
  series.probe = "retention";
  series.work_unit = "bytes";
  series.params = {
      {"delays", int64_t{delays}}, {"level_0", std::string("l3")}, {"flushed_lap_0_ns", int64_t{900'000}}};
  for (int i = 0; i < delays; ++i) {
    const double delay_ms = half_life_ms * i;
    const double left = std::exp2(-i);
    series.params["delay_" + std::to_string(i) + "_ns"] = static_cast<int64_t>(delay_ms * 1e6);
    series.sizes_bytes.push_back(16 << 20);
    series.work_per_sample.push_back(16 << 20);
    auto& laps_ns = series.samples_by_size.emplace_back();
    for (int j = -2; j <= 2; ++j) laps_ns.push_back(std::llround(900'000 - left * 500'000) + j * 5'000);
  }
  return series;
}

TEST(Ecm, experts_left_alone_are_missing_as_retention_says) {
  const char* model = "moe_ternary_105m";  // all of it fits the invented L3
  auto from = probed(model);
  EXPECT_EQ(forecast(from, model, "warm", "uniform").experts.dram, 0);
  from.launches[0].series.push_back(retention(5));
  const auto lossy = forecast(from, model, "warm", "uniform");
  // An expert is visited every 15 tokens of lossy.seconds on average: q = 2^(-t / 5 ms) is left of it after
  // each, and p q / (1 - (1 - p) q) when it is visited again.
  const double p = 4.0 / 60, q = std::exp2(-lossy.seconds / 5e-3);
  EXPECT_NEAR(lossy.experts.dram, 1 - p * q / (1 - (1 - p) * q), 1e-6);
  EXPECT_GT(lossy.experts.dram, 0.05);
  EXPECT_GT(forecast(from, model, "warm", "sticky:0.45").experts.l3, lossy.experts.l3);
  EXPECT_GT(lossy.log_width, 0) << "a half-life is not known exactly";
}

TEST(Ecm, a_token_longer_than_a_lap_of_the_read_curve_loses_what_retention_says) {
  auto from = probed();
  const double before = forecast(from, "coreflow_1_9m", "warm").seconds;
  from.launches[0].series.push_back(retention(1));
  const auto lossy = forecast(from, "coreflow_1_9m", "warm");
  auto bytes = static_cast<double>(models::cost(models::find_shape("coreflow_1_9m")).weight_bytes_per_token);
  for (const auto& use : models::token_work(models::find_shape("coreflow_1_9m"), 0, 127))
    bytes += use.reads == models::Reads::kv ? use.bytes : 0;
  const double idle_s = lossy.seconds - bytes / 40e9;
  EXPECT_NEAR(lossy.dense.dram, 1 - std::exp2(-idle_s / 1e-3), 1e-4);
  EXPECT_GT(lossy.dense.dram, 0.001);
  EXPECT_GT(lossy.seconds, before);
  // A flush takes everything whatever a cache would have kept.
  EXPECT_EQ(forecast(from, "coreflow_1_9m", "evict_flush").seconds,
            forecast(probed(), "coreflow_1_9m", "evict_flush").seconds);
  // Nothing is lost where half of it would stay for an hour.
  auto quiet = probed();
  quiet.launches[0].series.push_back(retention(3.6e6));
  EXPECT_NEAR(forecast(quiet, "coreflow_1_9m", "warm").seconds, before, 1e-12);
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
