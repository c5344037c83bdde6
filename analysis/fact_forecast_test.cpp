#include "analysis/fact_forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

using harness::Interval;
using harness::Unavailable;

LevelFacts made_level(const std::string& name, int64_t bytes, double rate, double spread = 1) {
  LevelFacts level;
  level.level = name;
  level.reported_bytes = bytes;
  if (bytes > 0) level.usable_bytes = Fact{static_cast<double>(bytes), 1, "", true};
  level.read_bytes_per_s = Fact{rate, spread, "made up", true};
  return level;
}

/// 1 MB of L2 at 100 GB/s, 10 MB of L3 at 40 GB/s, memory at 10 GB/s; nothing is uncertain.
CoreFacts made_core() {
  CoreFacts core;
  core.core_kind = "uniform";
  core.levels = {made_level("l2", 1'000'000, 100e9), made_level("l3", 10'000'000, 40e9),
                 made_level("dram", 0, 10e9)};
  core.clock_hz = Fact{4e9, 1, "", true};
  core.macs_per_s = Fact{100e9, 1, "", true};
  core.attention_macs_per_s = Fact{30e9, 1, "", true};
  core.values_per_s = Fact{4e9, 1, "", true};
  return core;
}

Work bytes_only(double bytes) {
  Work work;
  work.weight_bytes = work.dense_bytes = bytes;
  return work;
}

Interval tokens(const CoreForecast& forecast, const std::string& id) {
  for (const FactForecast& one : forecast.forecasts) {
    if (one.id == id) return std::get<Interval>(one.tokens_per_s);
  }
  throw std::out_of_range(id);
}

std::string reason(const CoreForecast& forecast, const std::string& id) {
  for (const FactForecast& one : forecast.forecasts) {
    if (one.id == id) return std::get<Unavailable>(one.tokens_per_s).reason;
  }
  throw std::out_of_range(id);
}

double share(const CoreForecast& forecast, const std::string& level) {
  for (const LevelShare& one : forecast.served_by) {
    if (one.level == level) return one.share;
  }
  throw std::out_of_range(level);
}

double log_width(const Interval& interval) {
  return std::log(interval.high / interval.low);
}

TEST(cyclic_residency, is_whole_when_all_fits_and_falls_to_nothing) {
  EXPECT_EQ(cyclic_residency(10, 10), 1);
  EXPECT_EQ(cyclic_residency(10, 0), 0);
  EXPECT_EQ(cyclic_residency(10, -5), 0);
  for (const double ratio : {1.5, 2.0, 4.0}) {
    const double h = cyclic_residency(ratio, 1);
    EXPECT_NEAR(h, std::exp(-ratio * (1 - h)), 1e-9) << ratio;
    EXPECT_LT(h, 1 / ratio);
  }
  EXPECT_NEAR(cyclic_residency(1.0001, 1), 1, 0.02);
  EXPECT_LT(cyclic_residency(100, 1), 1e-9);
}

TEST(fact_forecast, roofs_are_bandwidth_over_weight_bytes) {
  const CoreForecast forecast = forecast_core(made_core(), bytes_only(2e6));
  EXPECT_NEAR(tokens(forecast, "dram_roof").median, 5000, 1e-9);
  EXPECT_NEAR(tokens(forecast, "cache_roof").median, 20000, 1e-9);
  EXPECT_NEAR(tokens(forecast_core(made_core(), bytes_only(1e6)), "cache_roof").median, 100000, 1e-9);
  EXPECT_EQ(reason(forecast_core(made_core(), bytes_only(2e7)), "cache_roof"),
            "no cache holds 20000000 bytes of weights; the largest has 10000000");
}

TEST(fact_forecast, weights_that_a_cache_holds_come_from_it) {
  const CoreForecast forecast = forecast_core(made_core(), bytes_only(1e6));
  EXPECT_EQ(share(forecast, "l2"), 1);
  EXPECT_NEAR(tokens(forecast, "catalogue_prior").median, 100000, 1e-6);
  const CoreForecast larger = forecast_core(made_core(), bytes_only(2e6));
  const double h = cyclic_residency(2, 1);
  EXPECT_NEAR(share(larger, "l2"), h, 1e-12);
  EXPECT_NEAR(share(larger, "l3"), 1 - h, 1e-12);
  EXPECT_NEAR(share(larger, "dram"), 0, 1e-12);
  EXPECT_NEAR(tokens(larger, "catalogue_prior").median, 1 / (h * 2e6 / 100e9 + (1 - h) * 2e6 / 40e9), 1e-6);
}

TEST(fact_forecast, experts_are_found_as_far_as_they_fit_beside_what_every_token_reads) {
  Work work;
  work.weight_bytes = 3e6;
  work.dense_bytes = 2e6;
  work.pool_bytes = 32e6;
  const CoreForecast forecast = forecast_core(made_core(), work);
  EXPECT_NEAR(share(forecast, "l2") + share(forecast, "l3"), (2e6 + 1e6 * 8 / 32) / 3e6, 1e-9);
  work.pool_bytes = 4e6;
  EXPECT_NEAR(share(forecast_core(made_core(), work), "dram"), 0, 1e-12);
}

TEST(fact_forecast, reading_and_multiplying_overlap_as_the_root_of_their_squares) {
  Work work = bytes_only(1e6);
  work.knows_compute = true;
  work.macs = 3e6;            // 30 µs
  work.attention_macs = 3e5;  // 10 µs
  work.values = 8e3;          // 2 µs
  const CoreForecast forecast = forecast_core(made_core(), work);
  EXPECT_NEAR(tokens(forecast, "catalogue_prior").median, 1 / (std::hypot(10e-6, 30e-6) + 10e-6 + 2e-6),
              1e-6);
  EXPECT_EQ(forecast.terms.front().name, "multiply-adds");
  EXPECT_EQ(std::get<std::string>(forecast.limit),
            "compute: multiply-adds per cycle (58 % of what a token costs)");
  work.macs = 1e5;
  work.attention_macs = 1e4;
  EXPECT_EQ(std::get<std::string>(forecast_core(made_core(), work).limit),
            "the bandwidth of l2 (75 % of what a token costs)");
}

TEST(fact_forecast, an_interval_is_as_wide_as_the_facts_that_matter) {
  CoreFacts core = made_core();
  EXPECT_NEAR(log_width(tokens(forecast_core(core, bytes_only(1e6)), "catalogue_prior")), 0, 1e-12);
  core.levels[2] = made_level("dram", 0, 10e9, 2);  // serves nothing of 1 MB
  EXPECT_NEAR(log_width(tokens(forecast_core(core, bytes_only(1e6)), "catalogue_prior")), 0, 1e-12);
  core.levels[0] = made_level("l2", 1'000'000, 100e9, 1.5);
  const CoreForecast forecast = forecast_core(core, bytes_only(1e6));
  EXPECT_NEAR(log_width(tokens(forecast, "catalogue_prior")), 2 * std::log(1.5), 1e-9);
  ASSERT_EQ(forecast.why.size(), 1u);
  EXPECT_EQ(forecast.why[0].fact, "read rate of l2");
  EXPECT_NEAR(forecast.why[0].share, 1, 1e-12);
}

TEST(fact_forecast, shares_of_the_width_add_up_and_the_largest_comes_first) {
  CoreFacts core = made_core();
  core.levels[0] = made_level("l2", 1'000'000, 100e9, 1.2);
  core.formula = {1, 1.5, "", true};
  const CoreForecast forecast = forecast_core(core, bytes_only(1e6));
  ASSERT_EQ(forecast.why.size(), 2u);
  EXPECT_EQ(forecast.why[0].fact, "the formula itself");
  EXPECT_NEAR(forecast.why[0].share + forecast.why[1].share, 1, 1e-12);
  EXPECT_NEAR(log_width(tokens(forecast, "catalogue_prior")), 2 * std::hypot(std::log(1.2), std::log(1.5)),
              1e-9);
}

TEST(fact_forecast, only_a_missing_fact_that_matters_keeps_it_from_answering) {
  CoreFacts core = made_core();
  core.levels[2].read_bytes_per_s = Unavailable{"nobody knows"};
  EXPECT_NEAR(tokens(forecast_core(core, bytes_only(1e6)), "catalogue_prior").median, 100000, 1e-6);
  EXPECT_EQ(reason(forecast_core(core, bytes_only(1e6)), "dram_roof"), "nobody knows");
  EXPECT_EQ(reason(forecast_core(core, bytes_only(5e7)), "catalogue_prior"), "nobody knows");
  Work work = bytes_only(1e6);
  work.knows_compute = true;
  core.macs_per_s = Unavailable{"no kernels"};
  EXPECT_EQ(reason(forecast_core(core, work), "catalogue_prior"), "no kernels");
  EXPECT_EQ(std::get<Unavailable>(forecast_core(core, work).limit).reason, "no kernels");
}

TEST(fact_forecast, what_would_fit_is_half_of_an_l3_instance_where_there_is_one) {
  CoreFacts core = made_core();
  EXPECT_EQ(std::get<int64_t>(forecast_core(core, bytes_only(1e6)).fit_half_l3_bytes), 5'000'000);
  core.levels.erase(core.levels.begin() + 1);
  EXPECT_EQ(std::get<Unavailable>(forecast_core(core, bytes_only(1e6)).fit_half_l3_bytes).reason,
            "this core has no L3");
  EXPECT_TRUE(std::holds_alternative<Unavailable>(forecast_core(core, bytes_only(1e6)).fit_half_life_bytes));
}

TEST(fact_forecast, without_any_cache_memory_alone_answers) {
  CoreFacts core = made_core();
  core.levels.erase(core.levels.begin(), core.levels.end() - 1);
  const CoreForecast forecast = forecast_core(core, bytes_only(1e6));
  EXPECT_EQ(reason(forecast, "cache_roof"), "no data cache is known");
  EXPECT_NEAR(tokens(forecast, "catalogue_prior").median, 10000, 1e-6);
  EXPECT_TRUE(forecast.served_by.empty());
}

TEST(fact_forecast, few_bits_that_multiply_as_is_not_well_known_widen_the_interval) {
  Work work = bytes_only(1e6);
  work.knows_compute = true;
  work.macs = 1e9;  // nothing else matters
  work.macs_spread = 1.3;
  const CoreForecast forecast = forecast_core(made_core(), work);
  EXPECT_NEAR(log_width(tokens(forecast, "catalogue_prior")), 2 * std::log(1.3), 1e-3);
  EXPECT_EQ(forecast.why.at(0).fact, "kernels of few bits");
}

TEST(fact_forecast, a_model_of_which_only_sizes_are_known_may_draw_any_of_its_weights) {
  const CoreForecast forecast = forecast_core(made_core(), work_of_bytes(19'800'000, 7'700'000));
  EXPECT_NEAR(share(forecast, "dram"), 1 - 10 / 19.8, 1e-9);
}

TEST(fact_forecast, a_cache_holds_experts_only_if_it_holds_all_of_them) {
  Work work;
  work.weight_bytes = 3e6;
  work.dense_bytes = 2e6;
  work.pool_bytes = 7e6;
  EXPECT_NEAR(tokens(forecast_core(made_core(), work), "cache_roof").median, 40e9 / 3e6, 1e-6);
  work.pool_bytes = 9e6;
  EXPECT_EQ(reason(forecast_core(made_core(), work), "cache_roof"),
            "no cache holds 11000000 bytes of weights; the largest has 10000000");
}

TEST(fact_forecast, tokens_that_come_back_to_their_experts_find_more_of_them) {
  Work work;
  work.weight_bytes = 3e6;
  work.dense_bytes = 2e6;
  work.pool_bytes = 32e6;
  work.experts = 32;
  work.top_k = 1;
  const auto dram = [&](const char* routing) {
    work.routing = routing;
    return share(forecast_core(made_core(), work), "dram");
  };
  EXPECT_NEAR(dram("uniform"), 1e6 * (1 - 8.0 / 32) / 3e6, 1e-9);
  EXPECT_NEAR(dram("sticky:0.5"), 1e6 * 0.5 * (1 - 8.0 / 32) / 3e6, 1e-9);
  EXPECT_LT(dram("zipf:1"), dram("uniform"));
}

TEST(fact_forecast, says_from_which_cache_on_experts_run_at_full_speed) {
  Work work;
  work.weight_bytes = 3e6;
  work.dense_bytes = 2e6;
  work.pool_bytes = 7e6;
  work.kv_bytes = 5e5;
  CoreFacts core = made_core();
  const auto speed = [&] { return *forecast_core(core, work).constant_speed; };
  EXPECT_EQ(speed().from_bytes, 9.5e6);
  EXPECT_EQ(speed().level, "l3");
  EXPECT_EQ(speed().here, true);
  core.levels[1].usable_bytes->spread = 1.2;
  EXPECT_EQ(speed().here, std::nullopt) << "10 MB within a factor of 1.2 may be less";
  work.pool_bytes = 20e6;
  EXPECT_EQ(speed().here, false);
  work.pool_bytes = 0;
  EXPECT_FALSE(forecast_core(core, work).constant_speed.has_value());
}

TEST(fact_forecast, without_any_cache_experts_never_run_at_full_speed) {
  Work work;
  work.weight_bytes = 3e6;
  work.dense_bytes = 2e6;
  work.pool_bytes = 7e6;
  CoreFacts core = made_core();
  core.levels.erase(core.levels.begin(), core.levels.begin() + 2);
  const ConstantSpeed speed = *forecast_core(core, work).constant_speed;
  EXPECT_EQ(speed.level, "");
  EXPECT_EQ(speed.here, false);
}

TEST(fact_forecast, a_lap_may_take_half_of_the_half_life_and_fills_at_most_the_cache) {
  CoreFacts core = made_core();
  core.half_life = HalfLife{"l3", 2e5, false};  // 0.2 ms: 0.1 ms of 40 GB/s
  EXPECT_EQ(
      std::get<int64_t>(forecast_core(core, bytes_only(2e6)).fit_half_life_bytes),
      std::llround(1e-4 * 2e6 * tokens(forecast_core(core, bytes_only(2e6)), "catalogue_prior").median));
  core.half_life = HalfLife{"l3", 2e9, true};
  EXPECT_EQ(std::get<int64_t>(forecast_core(core, bytes_only(2e6)).fit_half_life_bytes), 10'000'000);
  core.levels[1].read_bytes_per_s = Unavailable{"nobody knows"};
  EXPECT_EQ(std::get<Unavailable>(forecast_core(core, bytes_only(2e6)).fit_half_life_bytes).reason,
            "how fast weights pass is not known");
}

}  // namespace
}  // namespace analysis
