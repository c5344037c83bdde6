#include <gtest/gtest.h>

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

/// A run with forecasts of two decodes; `number` makes it one of its own.
Submission judged(int number, const std::string& machine_key = example_hash) {
  Submission run = example_submission();
  run.nonce = fmt::format("{:032x}", number);
  run.machine.machine_key = machine_key;
  const auto flush = example_key("evict_flush");
  run.forecasts = {
      {"dram_roof", "2", example_key("warm"), example_hash, Interval{1000, 900, 1200}, 1,
       "2026-01-02T03:04:00Z"},
      {"ecm", "1", example_key("warm"), example_hash, Interval{2000, 1600, 2400}, 1, "2026-01-02T03:04:00Z"},
      {"ecm", "1", flush, example_hash, Interval{500, 400, 600}, 1, "2026-01-02T03:04:00Z"}};
  run.derived.forecast_errors = {{"dram_roof", "2", example_key("warm"), 2.2, false},
                                 {"ecm", "1", example_key("warm"), 1.1, true},
                                 {"ecm", "1", flush, 0.7, false}};
  return run;
}

TEST_F(StoreTest, the_forecast_record_holds_every_figure_with_its_run) {
  Store store(path_);
  store.add(to_canonical_json(judged(1)));
  const ForecastRecord record = store.forecast_record();
  ASSERT_EQ(record.runs.size(), 1u);
  EXPECT_EQ(record.runs[0].machine_key, example_hash);
  EXPECT_EQ(record.runs[0].cpu_model, "Example CPU 9000");
  EXPECT_EQ(record.runs[0].content_sha256, store.list()[0].content_sha256);
  EXPECT_EQ(record.runs[0].uncounted, "no_aa");
  ASSERT_EQ(record.figures.size(), 3u);
  const ForecastFigure& ecm = record.figures[1];
  EXPECT_EQ(ecm.id + ecm.version + ecm.model + ecm.mode, "ecm1coreflow_1_9mwarm");
  EXPECT_EQ(ecm.measured_over_forecast, 1.1);
  EXPECT_TRUE(ecm.inside_interval);
  EXPECT_NEAR(ecm.interval_ratio, 1.5, 1e-12);
  EXPECT_EQ(ecm.decode, record.figures[0].decode) << "2.2 × 1000 and 1.1 × 2000 are one measurement";
  EXPECT_NE(ecm.decode, record.figures[2].decode);
}

TEST_F(StoreTest, the_forecast_record_keeps_to_what_is_asked_for) {
  Store store(path_);
  store.add(to_canonical_json(judged(1)));
  store.add(to_canonical_json(judged(2, std::string(64, 'b'))));
  const auto figures = [&](const ForecastFilter& filter) {
    return store.forecast_record(filter).figures.size();
  };
  EXPECT_EQ(figures({}), 6u);
  EXPECT_EQ(figures({"ecm", "", "", "", ""}), 4u);
  EXPECT_EQ(figures({"ecm", "2", "", "", ""}), 0u);
  EXPECT_EQ(figures({"", "", "bb", "", ""}), 3u);
  EXPECT_EQ(figures({"", "", "", "coreflow_1_9m", ""}), 6u);
  EXPECT_EQ(figures({"", "", "", "coreflow", ""}), 0u);
  EXPECT_EQ(figures({"", "", "", "", "evict_flush"}), 2u);
  EXPECT_EQ(figures({"", "", "", "", "", "quick"}), 6u);
  EXPECT_EQ(figures({"", "", "", "", "", "full"}), 0u);
  const auto other = store.forecast_record({"", "", "b", "", ""});
  ASSERT_EQ(other.runs.size(), 1u);
  EXPECT_EQ(other.figures[2].run, 0u) << "runs without figures are left out";
}

TEST_F(StoreTest, a_forecast_that_stands_twice_is_told_once_per_decode) {
  // Two plans of one key: both forecasts judge both of their figures.
  Submission run = judged(1);
  const auto key = example_key("warm");
  run.derived.forecast_errors = {{"ecm", "1", key, 1.1, true},
                                 {"ecm", "1", key, 1.2, true},
                                 {"ecm", "1", key, 1.1, true},
                                 {"ecm", "1", key, 1.2, true}};
  Store store(path_);
  store.add(to_canonical_json(run));
  const ForecastRecord record = store.forecast_record();
  ASSERT_EQ(record.figures.size(), 2u);
  EXPECT_NE(record.figures[0].decode, record.figures[1].decode);
}

TEST_F(StoreTest, a_forecast_without_its_interval_has_no_width) {
  Submission run = judged(1);
  run.forecasts.erase(run.forecasts.begin() + 1);
  Store store(path_);
  store.add(to_canonical_json(run));
  EXPECT_EQ(store.forecast_record({"ecm", "", "", "", "warm"}).figures.at(0).interval_ratio, 0);
}

}  // namespace
}  // namespace harness
