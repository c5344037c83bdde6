#include "analysis/forecast.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/test_submission.hpp"
#include "models/shape.hpp"

namespace analysis {
namespace {

using harness::Forecast;
using harness::Interval;
using harness::Unavailable;

const models::Shape& shape() {
  return models::find_shape("coreflow_1_9m");
}
double weight_bytes() {
  return static_cast<double>(models::cost(shape()).weight_bytes_per_token);
}

std::vector<Forecast> forecasts_of(const harness::Submission& probed, const std::string& mode) {
  return make_forecasts(probed, shape(), decode_key(probed.plans[0], probed.machine, mode));
}

Forecast forecast_of(const harness::Submission& probed, const std::string& mode, const std::string& id) {
  for (const auto& forecast : forecasts_of(probed, mode)) {
    if (forecast.id == id) return forecast;
  }
  throw std::out_of_range(id);
}

double point(const Forecast& forecast) {
  return std::get<Interval>(forecast.tokens_per_s).median;
}
std::string reason(const Forecast& forecast) {
  return std::get<Unavailable>(forecast.tokens_per_s).reason;
}

std::vector<std::string> ids(const std::vector<Forecast>& forecasts) {
  std::vector<std::string> found;
  found.reserve(forecasts.size());
  for (const auto& forecast : forecasts) found.push_back(forecast.id);
  return found;
}

TEST(forecast, warm_and_concurrent_modes_get_all_and_evicted_ones_memory_only) {
  const auto probed = test_submission();
  const std::vector<std::string> all{"dram_roof", "cache_roof", "curve", "ecm"},
      memory{"dram_roof", "curve", "ecm"};
  for (const char* mode : {"warm", "evict_read", "evict_write", "spin"})
    EXPECT_EQ(ids(forecasts_of(probed, mode)), all);
  for (const char* mode : {"evict_flush", "evict_stream"}) EXPECT_EQ(ids(forecasts_of(probed, mode)), memory);
}

TEST(forecast, is_bandwidth_over_weight_bytes) {
  const auto probed = test_submission();
  EXPECT_NEAR(point(forecast_of(probed, "warm", "dram_roof")), 10e9 / weight_bytes(), 1e-3);
  EXPECT_NEAR(point(forecast_of(probed, "warm", "cache_roof")), 40e9 / weight_bytes(), 1e-3);
  EXPECT_NEAR(point(forecast_of(probed, "warm", "curve")), 40e9 / weight_bytes(), 1e-3);
  EXPECT_NEAR(point(forecast_of(probed, "evict_flush", "curve")), 10e9 / weight_bytes(), 1e-3);
}

TEST(forecast, cache_roof_takes_the_smallest_reported_cache_that_holds_the_weights) {
  TestRun run;
  run.l2_bytes = static_cast<int64_t>(weight_bytes());
  EXPECT_NEAR(point(forecast_of(test_submission(run), "warm", "cache_roof")), 100e9 / weight_bytes(), 1);
  run.l2_bytes -= 1;
  EXPECT_NEAR(point(forecast_of(test_submission(run), "warm", "cache_roof")), 40e9 / weight_bytes(), 1);
}

TEST(forecast, has_no_cache_roof_where_no_reported_cache_holds_the_weights) {
  TestRun run;
  run.l3_bytes = 0;
  EXPECT_EQ(reason(forecast_of(test_submission(run), "warm", "cache_roof")),
            fmt::format("no reported cache holds {:.0f} bytes of weights; the largest has 1048576",
                        weight_bytes()));
  run.l1_bytes = run.l2_bytes = 0;
  const auto probed = test_submission(run);
  EXPECT_EQ(reason(forecast_of(probed, "warm", "cache_roof")), "this machine reports no data cache");
  EXPECT_NEAR(point(forecast_of(probed, "warm", "dram_roof")), 10e9 / weight_bytes(), 1e-3);
  EXPECT_NEAR(point(forecast_of(probed, "warm", "curve")), 10e9 / weight_bytes(), 1e-3);
}

TEST(forecast, curve_follows_the_measured_curve_at_the_working_set_whatever_caches_are_reported) {
  auto probed = test_submission();
  auto& curve = probed.launches[0].series[0];
  const double working_set = static_cast<double>(models::cost(shape()).working_set_bytes);
  // rate = 1e17 ÷ size on every size: read off at the working set it is exact.
  for (size_t i = 0; i < curve.sizes_bytes.size(); ++i) {
    curve.work_per_sample[i] = static_cast<int64_t>(1e17 / static_cast<double>(curve.sizes_bytes[i]) * 2e-3);
  }
  probed.machine.caches.clear();
  EXPECT_NEAR(point(forecast_of(probed, "warm", "curve")) / (1e17 / working_set / weight_bytes()), 1, 1e-6);
}

TEST(forecast, interval_is_the_spread_of_the_samples_used) {
  auto probed = test_submission();
  const auto tight = std::get<Interval>(forecast_of(probed, "warm", "dram_roof").tokens_per_s);
  EXPECT_NEAR(tight.low, tight.high, 1e-6 * tight.median);
  auto& samples = probed.launches[0].series[1].samples_by_size[0];
  for (size_t i = 0; i < samples.size(); ++i) samples[i] += static_cast<int64_t>(i) * 20'000;  // 0 … 4 %
  const auto wide = std::get<Interval>(forecast_of(probed, "warm", "dram_roof").tokens_per_s);
  // Logs are spaced about 0.98 % apart: s = 0.0155, t(0.95; 4) = 2.132, √1.2.
  EXPECT_NEAR(std::log(wide.high / wide.low) / 2, 0.0155 * 2.132 * std::sqrt(1.2), 5e-4);
  EXPECT_LT(wide.low, wide.median);
  EXPECT_GT(wide.high, wide.median);
  // The curve does not use these samples.
  EXPECT_EQ(std::get<Interval>(forecast_of(probed, "warm", "curve").tokens_per_s),
            std::get<Interval>(forecast_of(test_submission(), "warm", "curve").tokens_per_s));
}

TEST(forecast, the_worked_example_of_the_page_holds) {
  auto probed = test_submission();
  ASSERT_EQ(weight_bytes(), 1'933'600);
  ASSERT_EQ(models::cost(shape()).working_set_bytes, 2'090'710);
  auto& dram = probed.launches[0].series[1];
  dram.work_per_sample = {268'435'456};
  dram.samples_by_size = {{17'900'000, 18'100'000, 17'800'000, 18'000'000, 18'300'000}};
  auto& curve = probed.launches[0].series[0];
  for (size_t i = 0; i < curve.sizes_bytes.size(); ++i) {
    if (curve.sizes_bytes[i] == 1'572'864) curve.work_per_sample[i] = 120'000'000;  // 60 GB/s for 2 ms
  }
  const auto roof = std::get<Interval>(forecast_of(probed, "warm", "dram_roof").tokens_per_s);
  EXPECT_NEAR(roof.median, 7713, 0.5);
  EXPECT_NEAR(roof.low, 7515, 0.5);
  EXPECT_NEAR(roof.high, 7899, 0.51);
  EXPECT_NEAR(point(forecast_of(probed, "warm", "cache_roof")), 20'687, 0.5);
  EXPECT_NEAR(point(forecast_of(probed, "warm", "curve")), 20'777, 0.5);
}

TEST(forecast, says_which_probe_is_missing) {
  auto probed = test_submission();
  auto& series = probed.launches[0].series;
  series.erase(series.begin(), series.begin() + 2);
  EXPECT_EQ(reason(forecast_of(probed, "warm", "dram_roof")), "dram_stream has not run");
  EXPECT_EQ(reason(forecast_of(probed, "warm", "cache_roof")), "load_bandwidth has not run");
  EXPECT_EQ(reason(forecast_of(probed, "warm", "curve")), "load_bandwidth has not run");
}

TEST(forecast, a_failed_probe_makes_no_forecast) {
  auto probed = test_submission();
  probed.launches[0].series[0].status = harness::Status::failed;
  probed.launches[0].series[0].reason = "wrong checksum";
  EXPECT_EQ(reason(forecast_of(probed, "warm", "curve")), "load_bandwidth: wrong checksum");
}

TEST(forecast, never_sees_a_decode_sample_or_a_later_roof) {
  auto probed = test_submission();
  const auto before = forecasts_of(probed, "warm");
  for (auto& launch : probed.launches) {
    if (launch.purpose == "probes") continue;
    for (auto& series : launch.series) {
      for (auto& ns : series.samples) ns *= 3;
      for (auto& work : series.work_per_sample) work *= 3;
    }
  }
  const auto after = forecasts_of(probed, "warm");
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].tokens_per_s, after[i].tokens_per_s);
    EXPECT_EQ(before[i].inputs_sha256, after[i].inputs_sha256);
  }
}

TEST(forecast, digest_of_inputs_changes_with_any_input_and_nothing_else) {
  const auto digest = [](const harness::Submission& probed) {
    return forecasts_of(probed, "warm")[0].inputs_sha256;
  };
  const auto probed = test_submission();
  EXPECT_EQ(digest(probed).size(), 64u);
  EXPECT_EQ(digest(probed), digest(test_submission()));
  auto changed = probed;
  changed.launches[0].series[0].samples_by_size[3][2] += 1;
  EXPECT_NE(digest(changed), digest(probed));
  changed = probed;
  changed.launches[0].series[1].work_per_sample[0] += 1;
  EXPECT_NE(digest(changed), digest(probed));
  changed = probed;
  changed.machine.caches[2].bytes += 1;
  EXPECT_NE(digest(changed), digest(probed));
  changed = probed;
  changed.launches[0].series[2].samples_by_size[0][0] += 1;  // load_latency is no input
  EXPECT_EQ(digest(changed), digest(probed));
}

TEST(forecast, carries_the_key_and_leaves_the_time_to_the_caller) {
  const auto probed = test_submission();
  const auto key = decode_key(probed.plans[0], probed.machine, "evict_read", "sibling");
  for (const auto& forecast : make_forecasts(probed, shape(), key)) {
    EXPECT_EQ(forecast.key, key);
    EXPECT_EQ(forecast.version, forecast.id == "ecm" ? ecm_version : roofs_version);
    EXPECT_EQ(forecast.made_ns, 0);
    EXPECT_EQ(forecast.made_utc, "");
  }
}

TEST(forecast, experts_count_as_resident_whether_a_token_visits_them_or_not) {
  const auto probed = test_submission();
  const models::Shape& experts = models::find_shape("moe_ternary_105m");
  const models::Cost cost = models::cost(experts);
  ASSERT_GT(cost.weight_bytes, 24 << 20);
  ASSERT_LT(cost.weight_bytes_per_token, 10 << 20);
  const auto key = decode_key(probed.plans[0], probed.machine, "warm");
  // The pool fits 32 MiB of L3 and no smaller cache: 40 GB/s there, and the bytes are those of one token.
  for (const auto& forecast : make_forecasts(probed, experts, key)) {
    if (forecast.id == "dram_roof" || forecast.id == "ecm") continue;
    EXPECT_NEAR(std::get<Interval>(forecast.tokens_per_s).median,
                40e9 / static_cast<double>(cost.weight_bytes_per_token), 1)
        << forecast.id;
  }
  // What one token reads would fit L3 here, the pool does not.
  TestRun small;
  small.l3_bytes = 12 << 20;
  const auto smaller = test_submission(small);
  for (const auto& forecast : make_forecasts(smaller, experts, key)) {
    if (forecast.id == "cache_roof") {
      EXPECT_NE(std::get<Unavailable>(forecast.tokens_per_s).reason.find(std::to_string(cost.weight_bytes)),
                std::string::npos);
    } else if (forecast.id != "ecm") {
      EXPECT_NEAR(std::get<Interval>(forecast.tokens_per_s).median,
                  10e9 / static_cast<double>(cost.weight_bytes_per_token), 1)
          << forecast.id;
    }
  }
}

}  // namespace
}  // namespace analysis
