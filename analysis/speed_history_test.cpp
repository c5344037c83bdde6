#include "analysis/speed_history.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/commit_order.hpp"

namespace analysis {
namespace {

using harness::SpeedHistory;

std::string digits(int number, size_t length) {
  std::string text = std::to_string(number);
  return std::string(length - text.size(), 'a') + text;
}

/// `count` sittings of a machine, one per commit, a day apart. Speed and roofs come from the number.
SpeedHistory history(int count, const std::function<double(int)>& speed, const std::function<double(int)>& l1,
                     const std::function<double(int)>& dram) {
  SpeedHistory made;
  for (int i = 0; i < count; ++i) {
    harness::Sitting sitting;
    sitting.document = i + 1;
    sitting.created_utc = "2026-01-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "T12:00:00Z";
    sitting.machine_key = "m";
    sitting.cpu_model = "CPU";
    sitting.vendor = "AuthenticAMD";
    sitting.family = 26;
    sitting.model_number = 2;
    sitting.suite_version = "0.1.0";
    sitting.git_commit = digits(i, 8) + std::string(32, 'f');
    sitting.compiler = "GNU 12.2.0";
    sitting.l2_bytes = 1 << 20;
    made.sittings.push_back(sitting);
    harness::SittingFigure figure;
    figure.sitting = static_cast<size_t>(i);
    figure.key.model = "coreflow_1_9m";
    figure.key.mode = "warm";
    figure.key.isa = "avx2";
    figure.weight_bytes_per_token = 1000;
    figure.tokens_per_s = speed(i);
    figure.weight_bytes_per_s = 1000 * speed(i);
    figure.kernel_version = "1";
    made.figures.push_back(figure);
    made.roofs.push_back({figure.sitting, "l1", 1, l1(i)});
    made.roofs.push_back({figure.sitting, "dram", 1, dram(i)});
    harness::SittingOutput output;
    output.sitting = figure.sitting;
    output.key = figure.key;
    output.weights_seed = output.kernel_version = "1";
    output.golden = "right";
    made.outputs.push_back(output);
  }
  return made;
}

SpeedHistory steady(int count) {
  return history(
      count, [](int i) { return 100.0 + i; }, [](int) { return 1e6; }, [](int) { return 1e5; });
}

TEST(speed_history, a_series_has_its_sittings_in_the_order_of_their_commits) {
  SpeedHistory told = steady(4);
  std::swap(told.sittings[0].created_utc, told.sittings[3].created_utc);
  const SeriesOfHistory made = series_of(told, {});
  ASSERT_EQ(made.series.size(), 1U);
  const SpeedSeries& series = made.series[0];
  ASSERT_EQ(series.points.size(), 4U);
  EXPECT_EQ(series.points[0].document, 4);
  EXPECT_EQ(series.points[3].document, 1);
  EXPECT_EQ(series.points[0].commit, 0);
  EXPECT_EQ(series.points[0].commit_name, "aaaaaaa3");
  EXPECT_EQ(made.commits, 4);
  EXPECT_EQ(series.machine.microarchitecture, "zen5");
  EXPECT_EQ(series.machine.l2_bytes, 1 << 20);
}

TEST(speed_history, an_older_commit_that_is_measured_again_stays_in_its_place) {
  SpeedHistory told = steady(4);
  told.sittings[3].git_commit = told.sittings[1].git_commit;
  const SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.series[0].points[2].document, 4);
  EXPECT_EQ(made.series[0].points[3].document, 3);
}

TEST(speed_history, versions_come_before_times) {
  SpeedHistory told = steady(3);
  told.sittings[0].suite_version = "0.10.0";
  told.sittings[1].suite_version = "0.9.1";
  told.sittings[2].suite_version = "0.9";
  const SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.series[0].points[0].document, 3);
  EXPECT_EQ(made.series[0].points[1].document, 2);
  EXPECT_TRUE(earlier_version("0.9.1", "0.10"));
  EXPECT_FALSE(earlier_version("1.0", "1.0"));
}

TEST(speed_history, a_list_of_commits_orders_them_and_leaves_out_others) {
  const SpeedHistory told = steady(4);
  HistoryRule rule;
  for (const int i : {3, 0, 2}) rule.commits.push_back(told.sittings[static_cast<size_t>(i)].git_commit);
  const SeriesOfHistory made = series_of(told, rule);
  ASSERT_EQ(made.series[0].points.size(), 3U);
  EXPECT_EQ(made.series[0].points[0].document, 4);
  EXPECT_EQ(made.series[0].points[1].document, 1);
  EXPECT_EQ(made.left_out.at("of a commit that is not listed"), 1);
}

TEST(speed_history, of_an_unknown_commit_the_day_stands_for_it) {
  SpeedHistory told = steady(3);
  for (harness::Sitting& sitting : told.sittings) sitting.git_commit = "unknown";
  const SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.commits, 3);
  EXPECT_EQ(made.series[0].points[1].commit_name, "0.1.0 of 2026-01-02");
}

TEST(speed_history, changes_make_another_commit) {
  SpeedHistory told = steady(2);
  told.sittings[1].git_commit = told.sittings[0].git_commit;
  told.sittings[1].git_dirty = true;
  const SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.commits, 2);
  EXPECT_EQ(made.series[0].points[1].commit_name, "aaaaaaa0+");
}

TEST(speed_history, takes_the_roof_that_moves_along) {
  const auto day = [](int i) { return i % 3 == 0 ? 0.8 : 1.0; };
  const SpeedHistory with_memory = history(
      12, [&](int i) { return 100 * day(i) + i % 2 + 1e-3 * i; }, [](int) { return 1e6; },
      [&](int i) { return 1e5 * day(i); });
  EXPECT_EQ(series_of(with_memory, {}).series[0].roof, "dram");
  const SpeedHistory without = history(
      12, [](int i) { return 100.0 + i % 2 + 1e-3 * i; }, [](int) { return 1e6; },
      [&](int i) { return 1e5 * day(i); });
  const SeriesOfHistory made = series_of(without, {});
  EXPECT_EQ(made.series[0].roof, "l1");
  EXPECT_DOUBLE_EQ(made.series[0].points[0].roof_fraction, 0.1);
  EXPECT_EQ(made.series[0].points.size(), 12U);
}

TEST(speed_history, a_change_of_level_does_not_choose_the_roof) {
  const SpeedHistory told = history(
      20, [](int i) { return (i < 10 ? 100.0 : 80.0) + i % 2 + 1e-3 * i; }, [](int) { return 1e6; },
      [](int i) { return (i < 10 ? 1e5 : 0.8e5) * (i % 3 == 0 ? 0.97 : 1); });
  EXPECT_EQ(series_of(told, {}).series[0].roof, "l1");
}

TEST(speed_history, says_what_it_left_out) {
  SpeedHistory told = steady(4);
  told.sittings[0].uncounted = "aa_failed";
  told.figures[2].tokens_per_s = told.figures[1].tokens_per_s;
  told.roofs.erase(told.roofs.begin() + 6, told.roofs.end());
  const SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.series[0].points.size(), 1U);
  EXPECT_EQ(made.left_out.at("two identical arms differ (A/A)"), 1);
  EXPECT_EQ(made.left_out.at("copies"), 1);
  EXPECT_EQ(made.left_out.at("no read roof in the same sitting"), 1);
}

TEST(speed_history, other_logits_are_wrong_until_they_are_right_again) {
  SpeedHistory told = steady(6);
  told.outputs[3].golden = told.outputs[4].golden = told.outputs[5].golden = "other";
  SeriesOfHistory made = series_of(told, {});
  EXPECT_EQ(made.series[0].wrong, "aaaaaaa5, document 6: logits other…, before right…");
  EXPECT_EQ(made.series[0].points.size(), 3U);
  told.outputs[5].golden = "right";
  made = series_of(told, {});
  EXPECT_EQ(made.series[0].wrong, "");
  EXPECT_EQ(made.series[0].points.size(), 4U);
  EXPECT_EQ(made.left_out.at("wrong logits"), 2);
}

TEST(speed_history, logits_are_the_same_on_every_isa_and_only_within_a_kernel_version) {
  SpeedHistory told = steady(6);
  told.outputs[5].golden = "other";
  told.outputs[5].key.isa = told.figures[5].key.isa = "avx512";
  SeriesOfHistory made = series_of(told, {});
  ASSERT_EQ(made.series.size(), 2U);
  EXPECT_EQ(made.series[0].wrong, "");
  EXPECT_NE(made.series[1].wrong, "");
  told.outputs[5].kernel_version = "2";
  made = series_of(told, {});
  EXPECT_EQ(made.series[1].wrong, "");
}

TEST(speed_history, wrong_outputs_without_any_figure_are_told) {
  SpeedHistory told = steady(2);
  told.figures.clear();
  told.outputs[1].wrong = "chose other tokens";
  const SeriesOfHistory made = series_of(told, {});
  ASSERT_EQ(made.series.size(), 1U);
  EXPECT_EQ(made.series[0].wrong, "aaaaaaa1, document 2: chose other tokens");
}

TEST(speed_history, since_is_a_day_a_time_or_a_commit) {
  const SpeedHistory told = steady(5);
  const auto since = [&](const std::string& text) {
    HistoryRule rule;
    rule.since = text;
    const SeriesOfHistory made = series_of(told, rule);
    return made.since_found ? static_cast<int>(made.series[0].since) : -1;
  };
  EXPECT_EQ(since("2026-01-03"), 2);
  EXPECT_EQ(since("2026-01-03T12:00:01Z"), 3);
  EXPECT_EQ(since("aaaaaaa3"), 3);
  EXPECT_EQ(since(told.sittings[4].git_commit), 4);
  EXPECT_EQ(since("2027-01-01"), -1);
  EXPECT_EQ(since("beef"), -1);
  EXPECT_EQ(since("yesterday"), -1);
}

TEST(speed_history, one_wrong_launch_makes_a_sitting_wrong_whatever_its_digest_sorts_like) {
  for (const bool wrong_first : {true, false}) {
    SpeedHistory told = steady(6);
    harness::SittingOutput wrong = told.outputs[5];
    wrong.golden = wrong_first ? "000" : "zzz";
    wrong.wrong = "logits differ";
    told.outputs.insert(told.outputs.end() - (wrong_first ? 1 : 0), wrong);
    EXPECT_EQ(series_of(told, {}).series[0].wrong, "aaaaaaa5, document 6: logits differ") << wrong_first;
  }
}

TEST(speed_history, roofs_of_other_threads_pages_and_cores_do_not_come_in_half_way) {
  SpeedHistory told = steady(20);
  for (harness::SittingFigure& figure : told.figures) figure.key.threads = 2;
  for (size_t i = 10; i < 20; ++i) {
    told.roofs.push_back({i, "dram", 2, 1.9e5});
    told.roofs.push_back({i, "l1", 1, 1.05e6, int64_t{2} << 20});
    told.roofs.push_back({i, "l1", 1, 3e6, 4096, "performance"});
  }
  const SeriesOfHistory made = series_of(told, {});
  ASSERT_EQ(made.series[0].points.size(), 20U);
  for (const SpeedPoint& point : made.series[0].points)
    EXPECT_EQ(point.roof_bytes_per_s, made.series[0].points[0].roof_bytes_per_s);
}

TEST(speed_history, takes_the_roof_of_the_decodes_own_threads_pages_and_core_where_all_have_it) {
  SpeedHistory told = steady(12);
  for (harness::SittingFigure& figure : told.figures) {
    figure.key.threads = 2;
    figure.key.page_bytes = int64_t{2} << 20;
    figure.key.core_kind = "efficiency";
  }
  for (size_t i = 0; i < 12; ++i) {
    told.roofs.push_back({i, "dram", 2, 7e5, 4096, "efficiency"});
    told.roofs.push_back({i, "dram", 2, 8e5, int64_t{2} << 20, "efficiency"});
    told.roofs.push_back({i, "dram", 2, 9e5, int64_t{2} << 20, "performance"});
  }
  EXPECT_EQ(series_of(told, {}).series[0].points[0].roof_bytes_per_s, 8e5);
}

TEST(speed_history, a_sitting_without_the_roof_of_the_others_is_left_out_alone) {
  SpeedHistory told = steady(20);
  told.roofs.erase(told.roofs.begin() + 6, told.roofs.begin() + 8);
  told.roofs.push_back({3, "l3", 1, 5e5});
  const SeriesOfHistory made = series_of(told, {});
  ASSERT_EQ(made.series.size(), 1U);
  EXPECT_EQ(made.series[0].points.size(), 19U);
  EXPECT_EQ(made.left_out.at("no read roof of the kind that the series is held against"), 1);
}

TEST(speed_history, since_asks_when_a_commit_was_first_seen_anywhere) {
  SpeedHistory told = steady(5);
  harness::Sitting again = told.sittings[1];
  again.created_utc = "2026-03-01T00:00:00Z";
  again.machine_key = "another";
  told.sittings.push_back(again);
  told.figures.push_back(told.figures[1]);
  told.figures.back().sitting = 5;
  told.roofs.push_back({5, "l1", 1, 1e6});
  HistoryRule rule;
  rule.since = "2026-02-01";
  EXPECT_FALSE(series_of(told, rule).since_found) << "no commit is as new as that";
  rule.since = "2026-01-04";
  const SeriesOfHistory made = series_of(told, rule);
  for (const SpeedSeries& series : made.series)
    EXPECT_EQ(series.since, series.machine.machine_key == "m" ? 3U : 1U);
}

TEST(is_time, asks_for_days_and_times_that_exist) {
  for (const char* text : {"2026-02-28", "2028-02-29", "2026-12-31T23:59:59Z"}) EXPECT_TRUE(is_time(text));
  for (const char* text : {"2026-02-29", "2026-02-31", "2026-13-45", "2026-00-01", "2026-01-01T25:00:00Z",
                           "2026-01-01T00:60:00Z"})
    EXPECT_FALSE(is_time(text)) << text;
}

}  // namespace
}  // namespace analysis
