#include "probes/time_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/fake_clock.hpp"

namespace probes {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

/// Runs all steps; a step takes its guess × `pace`, a thinned one no longer than its deadline. Returns what
/// each took in seconds, −1 for skipped ones.
std::vector<double> run_steps(double budget_s, const std::vector<TimedStep>& steps, double pace = 1) {
  harness::FakeClock time;
  TimeBudget budget(time.clock(), static_cast<int64_t>(budget_s * 1e9), steps);
  std::vector<double> took;
  for (const TimedStep& step : steps) {
    const auto end_ns = budget.begin();
    if (!end_ns) {
      took.push_back(-1);
      continue;
    }
    const auto wanted_ns = static_cast<int64_t>(step.seconds * pace * 1e9);
    const int64_t allowed_ns = *end_ns == 0 || !step.thins ? wanted_ns : *end_ns - time.now_ns;
    took.push_back(static_cast<double>(std::min(wanted_ns, allowed_ns)) / 1e9);
    time.now_ns += std::min(wanted_ns, allowed_ns);
    budget.end(allowed_ns < wanted_ns);
  }
  return took;
}

double sum_of(const std::vector<double>& took) {
  double sum = 0;
  for (const double seconds : took) sum += std::max(seconds, 0.0);
  return sum;
}

TEST(time_budget, without_a_limit_everything_is_taken) {
  EXPECT_EQ(run_steps(0, {{5, true}, {100, false}}), (std::vector<double>{5, 100}));
}

TEST(time_budget, what_fits_is_taken_in_full) {
  EXPECT_EQ(run_steps(10, {{3, true}, {2, false}, {4, true}}), (std::vector<double>{3, 2, 4}));
}

TEST(time_budget, what_does_not_fit_is_thinned_in_proportion_and_the_rest_keeps_its_time) {
  const auto took = run_steps(10, {{12, true}, {2, false}, {4, true}});
  EXPECT_NEAR(took[0], 5.85, 1e-6);  // 12/16 of the 7.8 that are left beside 2 and a tenth to spare
  EXPECT_DOUBLE_EQ(took[1], 2);
  EXPECT_NEAR(took[2], 2.15, 1e-6);
}

TEST(time_budget, the_last_steps_that_cannot_thin_give_way_first) {
  const auto took = run_steps(10, {{20, true}, {5, false}, {5, false}});
  EXPECT_NEAR(took[0], 4.5, 1e-6);
  EXPECT_DOUBLE_EQ(took[1], 5);
  EXPECT_EQ(took[2], -1);
}

TEST(time_budget, a_slow_machine_is_known_by_its_pace) {
  // Without the pace the second step would be begun and end at 12.
  EXPECT_EQ(run_steps(10, {{2, false}, {4, false}, {1, false}}, 2), (std::vector<double>{4, -1, 2}));
}

TEST(time_budget, further_series_of_a_probe_give_way_before_another_probe) {
  // Main curve, main of a probe that cannot thin, then two extra series.
  const auto took = run_steps(11, {{6, true}, {3, false}, {6, true, true}, {3, false, true}});
  EXPECT_DOUBLE_EQ(took[0], 6) << "as if the extra ones did not exist";
  EXPECT_DOUBLE_EQ(took[1], 3);
  EXPECT_DOUBLE_EQ(took[2], 2) << "what the others left";
  EXPECT_EQ(took[3], -1);
}

TEST(time_budget, a_curve_of_a_few_sizes_is_not_begun) {
  EXPECT_EQ(run_steps(10, {{9, true}, {6, true, true}}), (std::vector<double>{9, -1})) << "1 s of 6";
  EXPECT_EQ(run_steps(10, {{8, true}, {6, true, true}}), (std::vector<double>{8, 2})) << "2 s of 6";
}

TEST(time_budget, a_step_that_cannot_thin_is_begun_only_with_time_to_spare) {
  EXPECT_EQ(run_steps(10, {{9.5, false}}), std::vector<double>{-1});
  EXPECT_EQ(run_steps(10, {{9, false}}), std::vector<double>{9});
}

TEST(time_budget, never_takes_longer_than_there_is) {
  for (const double pace : {0.2, 1.0, 3.0}) {
    for (const double budget_s : {0.5, 1.0, 5.0, 10.0}) {
      const auto took =
          run_steps(budget_s, {{0.1, false}, {6, true}, {3, true}, {1, false}, {4, false}}, pace);
      // Steps that cannot thin are begun on a guess; only the first of them has no pace to go by.
      EXPECT_LE(sum_of(took), budget_s * 1.1 + 0.1 * pace) << pace << " " << budget_s;
    }
  }
}

TEST(size_budget, allows_all_without_a_limit_and_the_first_with_any) {
  harness::FakeClock time;
  SizeBudget free(time.clock(), 0, {1, 1});
  EXPECT_TRUE(free.allows(0));
  SizeBudget tight(time.clock(), 1, {1, 1});
  time.now_ns += second_ns;
  EXPECT_TRUE(tight.allows(1));
  tight.took(1);
  EXPECT_FALSE(tight.allows(0));
  EXPECT_EQ(tight.skipped(), std::vector<size_t>{0});
}

TEST(size_budget, skips_the_size_that_would_end_too_late_and_takes_a_cheaper_one) {
  harness::FakeClock time;
  SizeBudget budget(time.clock(), 10 * second_ns, {1, 9, 2, 1});
  EXPECT_TRUE(budget.allows(0));
  time.now_ns += 2 * second_ns;  // 2 s per cost
  budget.took(0);
  EXPECT_FALSE(budget.allows(1)) << "18 s";
  EXPECT_TRUE(budget.allows(2)) << "4 s";
  time.now_ns += 4 * second_ns;
  budget.took(2);
  EXPECT_TRUE(budget.allows(3)) << "2 s";
  time.now_ns += 2 * second_ns;
  budget.took(3);
  EXPECT_FALSE(budget.allows(3)) << "would end exactly at the end: nothing to spare";
  EXPECT_EQ(budget.skipped(), (std::vector<size_t>{1, 3}));
}

TEST(is_late, knows_the_end_of_the_budget) {
  harness::FakeClock time;
  time.now_ns = 5;
  EXPECT_FALSE(is_late(time.clock(), 0)) << "no budget";
  EXPECT_FALSE(is_late(time.clock(), 6));
  EXPECT_TRUE(is_late(time.clock(), 4));
}

TEST(coarse_first, takes_every_position_once_and_the_ends_and_every_eighth_first) {
  for (const size_t n : {1, 2, 3, 9, 61, 64}) {
    auto order = coarse_first_positions(n, 7);
    const size_t first = (n + 7) / 8 + (n % 8 == 1 ? 0 : 1);
    std::vector<size_t> coarse(order.begin(),
                               order.begin() + static_cast<std::ptrdiff_t>(std::min(first, n)));
    EXPECT_TRUE(std::count(coarse.begin(), coarse.end(), 0)) << n;
    EXPECT_TRUE(std::count(coarse.begin(), coarse.end(), n - 1)) << n;
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << n;
  }
  EXPECT_EQ(coarse_first_positions(40, 7), coarse_first_positions(40, 7));
  EXPECT_NE(coarse_first_positions(40, 7), coarse_first_positions(40, 8));
}

TEST(drop_sizes, leaves_a_curve_whose_marks_point_at_the_same_samples) {
  harness::Series series;
  series.sizes_bytes = {512, 1024, 2048, 4096};
  series.work_per_sample = {1, 0, 3, 4};
  series.samples_by_size = {{10, 11}, {}, {30, 31}, {40, 41}};
  series.disturbed = {{"steal", {1, 4, 7}}, {"cpu_wall", {2}}};  // 2: of the size that goes
  drop_sizes(series, {1}, 2, 5 * second_ns);
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{512, 2048, 4096}));
  EXPECT_EQ(series.work_per_sample, (std::vector<int64_t>{1, 3, 4}));
  EXPECT_EQ(series.samples_by_size, (std::vector<std::vector<int64_t>>{{10, 11}, {30, 31}, {40, 41}}));
  EXPECT_EQ(series.disturbed, (harness::Disturbed{{"steal", {1, 2, 5}}}));
  EXPECT_EQ(skipped_sizes(series), 1);
  EXPECT_EQ(std::get<int64_t>(series.params.at("budget_ns")), 5 * second_ns);
}

TEST(skipped_series, says_why_there_is_nothing) {
  const harness::Series series = skipped_series("eviction", 10 * second_ns);
  EXPECT_TRUE(is_skipped(series));
  EXPECT_EQ(series.reason, "skipped: it does not fit into what is left of the budget of 10 s");
  harness::Series unavailable = series;
  unavailable.params.clear();
  EXPECT_FALSE(is_skipped(unavailable)) << "for another reason";
}

TEST(drop_sizes, of_nothing_changes_nothing) {
  harness::Series series;
  series.sizes_bytes = {512};
  const harness::Series before = series;
  drop_sizes(series, {}, 5, second_ns);
  EXPECT_EQ(series, before);
  EXPECT_EQ(skipped_sizes(series), 0);
}

}  // namespace
}  // namespace probes
