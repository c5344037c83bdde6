#include "analysis/probed_forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/ecm.hpp"
#include "analysis/forecast.hpp"
#include "analysis/test_kernel_rates.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

using harness::Interval;
using harness::Unavailable;

std::string avx2(const std::vector<std::string>&) {
  return "avx2";
}

/// Kernels that read as fast as a plain read does, unless told.
harness::Submission probed(const char* model, const KernelSpeed& speed = {1e-9, 100e9, 40e9, 10e9, 0, 0, 0}) {
  auto made = test_submission();
  made.suite.isa = "avx2";
  if (speed.l2_bytes_per_s > 0) add_test_kernels(made, "avx2", models::find_shape(model), speed);
  return made;
}

CoreForecast forecast(const harness::Submission& from, const char* model, const std::string& routing = "none",
                      const harness::ModelError& error = model_error()) {
  const CoreFacts core = facts_of_submission(from, avx2, {}).kinds.at(0);
  const models::Shape& shape = models::find_shape(model);
  const Work work = work_of(shape, routing);
  CoreForecast made = forecast_core(core, work);
  use_probes(made, core, work, from, shape, error);
  return made;
}

Interval tokens(const CoreForecast& made, const std::string& id) {
  return std::get<Interval>(find_forecast(made, id)->tokens_per_s);
}

double share(const CoreForecast& made, const std::string& level) {
  for (const LevelShare& one : made.served_by) {
    if (one.level == level) return one.share;
  }
  throw std::out_of_range(level);
}

TEST(probed_forecast, ecm_is_the_answer_and_stands_last) {
  const CoreForecast made = forecast(probed("coreflow_1_9m"), "coreflow_1_9m");
  EXPECT_EQ(made.answer, "ecm");
  EXPECT_EQ(made.forecasts.back().id, "ecm");
  for (const char* id : {"dram_roof", "cache_roof", "curve", "catalogue_prior"})
    EXPECT_NE(find_forecast(made, id), nullptr) << id;
  EXPECT_EQ(made.forecasts.size(), 5u);
}

TEST(probed_forecast, figures_are_those_that_run_would_store) {
  const harness::Submission from = probed("coreflow_1_9m");
  const models::Shape& shape = models::find_shape("coreflow_1_9m");
  harness::DecodeKey key;
  key.model = shape.name;
  key.mode = "warm";
  key.isa = "avx2";
  key.position_first = shape.default_position_first;
  key.position_last = shape.default_position_last;
  const CoreForecast made = forecast(from, "coreflow_1_9m");
  for (const harness::Forecast& stored : make_forecasts(from, shape, key)) {
    const Interval expected = std::get<Interval>(stored.tokens_per_s);
    EXPECT_EQ(tokens(made, stored.id).median, expected.median) << stored.id;
    EXPECT_EQ(tokens(made, stored.id).high, expected.high) << stored.id;
    EXPECT_EQ(find_forecast(made, stored.id)->version, stored.version) << stored.id;
  }
  key.mode = "evict_flush";
  const auto flushed = make_forecasts(from, shape, key).back();
  EXPECT_EQ(std::get<Interval>(made.flushed->tokens_per_s).median,
            std::get<Interval>(flushed.tokens_per_s).median);
}

TEST(probed_forecast, what_serves_is_what_the_curve_says) {
  const CoreForecast made = forecast(probed("coreflow_1_9m"), "coreflow_1_9m");
  EXPECT_NEAR(share(made, "l3"), 1, 0.02) << "1.9 MB in 32 MiB of L3 and 1 MiB of L2";
  EXPECT_NEAR(share(made, "l2") + share(made, "l3") + share(made, "dram"), 1, 1e-9);
}

TEST(probed_forecast, kernels_as_fast_as_a_read_are_limited_by_bandwidth_and_slower_ones_by_themselves) {
  const auto limit = [](const KernelSpeed& speed) {
    return std::get<std::string>(forecast(probed("coreflow_12_6m", speed), "coreflow_12_6m").limit);
  };
  EXPECT_TRUE(limit({1e-9, 100e9, 40e9, 10e9, 0, 0, 0}).starts_with("the bandwidth of l3 (weights take "));
  EXPECT_TRUE(limit({1e-9, 15e9, 15e9, 10e9, 0, 0, 0}).starts_with("compute: how fast kernels multiply ("));
}

TEST(probed_forecast, without_kernel_rates_facts_answer_and_ecm_says_why_it_cannot) {
  harness::Submission from = probed("coreflow_1_9m", {});
  const CoreForecast made = forecast(from, "coreflow_1_9m");
  EXPECT_EQ(made.answer, "catalogue_prior");
  EXPECT_EQ(made.forecasts.back().id, "catalogue_prior");
  EXPECT_NE(std::get<Unavailable>(find_forecast(made, "ecm")->tokens_per_s).reason.find("kernel_rates"),
            std::string::npos);
  EXPECT_FALSE(made.flushed.has_value());
  EXPECT_EQ(tokens(made, "curve").median > 0, true);
}

TEST(probed_forecast, the_interval_is_as_wide_as_probes_and_model_error_make_it) {
  const CoreForecast made = forecast(probed("coreflow_1_9m"), "coreflow_1_9m");
  ASSERT_EQ(made.why.size(), 1u) << "the invented probes do not scatter";
  EXPECT_EQ(made.why[0].fact, "ecm's own error");
  EXPECT_FALSE(made.why[0].verified);
  const Interval interval = tokens(made, "ecm");
  EXPECT_NEAR(std::sqrt(interval.high / interval.low), made.why[0].spread, 1e-9);
  harness::Submission scattered = probed("coreflow_1_9m");
  for (auto& series : scattered.launches[0].series) {
    if (series.probe != "kernel_rates") continue;
    for (auto& samples : series.samples_by_size) {
      for (size_t i = 0; i < samples.size(); ++i) samples[i] += samples[i] * static_cast<int64_t>(i) / 8;
    }
  }
  const CoreForecast wide = forecast(scattered, "coreflow_1_9m");
  ASSERT_EQ(wide.why.size(), 2u);
  EXPECT_NEAR(wide.why[0].share + wide.why[1].share, 1, 1e-9);
}

TEST(probed_forecast, what_stored_runs_taught_widens_it_and_is_said) {
  const harness::ModelError learnt{1.5, 7, "this", {}};
  const CoreForecast made = forecast(probed("coreflow_1_9m"), "coreflow_1_9m", "none", learnt);
  ASSERT_FALSE(made.why.empty());
  EXPECT_EQ(made.why[0].spread, 1.5);
  EXPECT_EQ(made.why[0].source, "learnt from 7 stored runs of this machine");
  EXPECT_TRUE(made.why[0].verified);
  const Interval wide = tokens(made, "ecm");
  EXPECT_NEAR(std::sqrt(wide.high / wide.low), 1.5, 1e-9);
  EXPECT_EQ(wide.median, tokens(forecast(probed("coreflow_1_9m"), "coreflow_1_9m"), "ecm").median);
}

TEST(probed_forecast, experts_run_at_full_speed_from_the_cache_that_holds_them_all) {
  const CoreForecast fits = forecast(probed("moe_ternary_105m"), "moe_ternary_105m");
  const CoreForecast not_here = forecast(probed("moe_ternary_402m"), "moe_ternary_402m");
  ASSERT_TRUE(fits.constant_speed && not_here.constant_speed);
  EXPECT_NEAR(fits.constant_speed->from_bytes, 30.0e6, 0.2e6);
  EXPECT_NEAR(not_here.constant_speed->from_bytes, 104.7e6, 0.3e6);
  EXPECT_EQ(not_here.constant_speed->here, false);
  EXPECT_EQ(not_here.constant_speed->level, "l3");
  EXPECT_GT(share(not_here, "dram"), 0.1);
  const CoreForecast sticky = forecast(probed("moe_ternary_402m"), "moe_ternary_402m", "sticky:0.9");
  EXPECT_LT(share(sticky, "dram"), share(not_here, "dram"));
  EXPECT_FALSE(forecast(probed("coreflow_1_9m"), "coreflow_1_9m").constant_speed.has_value());
}

}  // namespace
}  // namespace analysis
