#include "analysis/hypothesis_tests.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "analysis/launch_model.hpp"

namespace analysis {
namespace {

// Reference values: SciPy 1.10.1 (scipy.stats and scipy.integrate), which shares no code with ours; where a
// published table is the source it is named.
const std::vector<double> ten{1.02, 0.97, 1.05, 1.01, 0.99, 1.04, 1.03, 0.98, 1.06, 1.00};
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(hypothesis_tests, student_t_agrees_with_scipy) {
  EXPECT_NEAR(harness::student_t_cdf(2.262157, 9), 0.9749999933477842, 1e-12);
  EXPECT_NEAR(harness::student_t_cdf(0.7, 4), 0.738749917203275, 1e-12);
  EXPECT_NEAR(harness::student_t_cdf(-1.3, 9), 0.1129531863365247, 1e-12);
  EXPECT_NEAR(harness::student_t_cdf(3.5, 2.5), 0.9738272265198398, 1e-12);
  EXPECT_EQ(harness::student_t_cdf(0, 7), 0.5);
}

TEST(hypothesis_tests, tost_and_outside_agree_with_scipy_ttest_1samp) {
  EXPECT_NEAR(tost_p(ten, {0.95, 1.1}), 3.2696165699254305e-05, 1e-12);
  EXPECT_NEAR(t_outside_p(ten, {1.05, infinity}), 0.005447441361617194, 1e-12);
  EXPECT_NEAR(t_outside_p(ten, {0, 0.98}), 0.005109927452049607, 1e-12);
  EXPECT_EQ(t_outside_p(ten, {0.9, 1.1}), 1);
}

TEST(hypothesis_tests, a_p_value_at_alpha_is_an_interval_that_touches_the_region) {
  const LogMoments m = log_moments(ten);
  const double half = harness::student_t_quantile(0.975, 9) * m.sd / std::sqrt(10);
  EXPECT_NEAR(t_outside_p(ten, {std::exp(m.mean + half), infinity}), 0.05, 1e-9);
  EXPECT_NEAR(tost_p(ten, {std::exp(m.mean - half), 2}), 0.025, 1e-9);
}

TEST(hypothesis_tests, values_without_scatter_are_certain_and_single_ones_say_nothing) {
  const std::vector<double> same{2, 2, 2};
  EXPECT_EQ(tost_p(same, {1, 3}), 0);
  EXPECT_EQ(t_outside_p(same, {3, infinity}), 0);
  EXPECT_EQ(tost_p(std::vector<double>{2}, {1, 3}), 1);
  EXPECT_EQ(t_outside_p(std::vector<double>{2}, {3, infinity}), 1);
}

TEST(hypothesis_tests, sign_test_agrees_with_scipy_binomtest) {
  EXPECT_NEAR(sign_outside_p(ten, {1.035, infinity}), 0.34375, 1e-12);   // 3 of 10 on the other side
  EXPECT_NEAR(sign_outside_p(ten, {1.2, infinity}), 2.0 / 1024, 1e-12);  // none of 10
  EXPECT_EQ(sign_outside_p(ten, {0.9, 1.1}), 1);
}

TEST(hypothesis_tests, false_discovery_adjusts_as_r_does) {
  // R 4.x, p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH") = 0.02 0.04 0.04 0.02.
  const auto adjusted = false_discovery_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  const double expected[] = {0.02, 0.04, 0.04, 0.02};
  ASSERT_EQ(adjusted.size(), 4U);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12);
  EXPECT_EQ(false_discovery_adjusted(std::vector<double>{1, 1}), (std::vector<double>{1, 1}));
}

TEST(hypothesis_tests, holm_adjusts_as_in_his_example) {
  // R 4.x, p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") = 0.03 0.06 0.06 0.02.
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005}, expected{0.03, 0.06, 0.06, 0.02};
  const auto adjusted = holm_adjusted(p);
  for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12);
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
}

TEST(hypothesis_tests, mann_whitney_agrees_with_scipy_and_with_enumeration_under_ties) {
  const std::vector<double> a{1.1, 2.2, 3.3, 4.4, 9.9}, b{5.5, 6.6, 7.7, 8.8, 10.1, 11.2, 12.3};
  EXPECT_NEAR(mann_whitney_p(a, b), 0.030303030303030304, 1e-12);
  EXPECT_NEAR(mann_whitney_p(b, a), 0.030303030303030304, 1e-12);
  std::vector<double> to_ten, shifted;
  for (int i = 1; i <= 10; ++i) to_ten.push_back(i);
  for (int i = 1; i <= 8; ++i) shifted.push_back(i + 3.5);
  EXPECT_NEAR(mann_whitney_p(to_ten, shifted), 0.10110151286621874, 1e-12);
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{1, 2, 2, 3}, std::vector<double>{2, 4, 4, 5, 5}),
              0.05555555555555555, 1e-12);
  EXPECT_EQ(mann_whitney_p(std::vector<double>{1}, std::vector<double>{1}), 1);
}

/// n values from `first` on, `step` apart, each told `times` times.
std::vector<double> ladder(double first, double step, int n, int times = 1) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.insert(values.end(), static_cast<size_t>(times), first + step * i);
  return values;
}

TEST(hypothesis_tests, mann_whitney_of_many_values_goes_on_from_what_is_exact) {
  // 60 and 60 are counted, 61 and 60 approximated: the same story, shifted a little.
  for (const double shift : {0.5, 4.5, 10.5, 20.5}) {
    const double exact = mann_whitney_p(ladder(0, 1, 60), ladder(shift, 1, 60));
    const double near = mann_whitney_p(ladder(0, 1, 61), ladder(shift, 1, 61));
    EXPECT_NEAR(std::log(near) / std::log(exact), 1, 0.1) << shift;
  }
  EXPECT_LT(mann_whitney_p(ladder(1, 0.001, 61), ladder(2, 0.001, 61)), 1e-15);
  EXPECT_EQ(mann_whitney_p(ladder(1, 0, 1, 70), ladder(1, 0, 1, 70)), 1);
  // By an independent computation of the normal approximation with ties and continuity.
  EXPECT_NEAR(mann_whitney_p(ladder(0, 1, 7, 10), ladder(1, 1, 7, 10)), 0.006299482494812229, 1e-12);
  EXPECT_NEAR(mann_whitney_p(ladder(0, 1, 61), ladder(4.5, 1, 61)), 0.17643958597025367, 1e-12);
}

TEST(hypothesis_tests, bootstrap_repeats_with_its_seed) {
  const auto first = bootstrap_interval(ten, 0.95, 2000, 7);
  EXPECT_EQ(bootstrap_interval(ten, 0.95, 2000, 7), first);
  EXPECT_NE(bootstrap_interval(ten, 0.95, 37, 8), bootstrap_interval(ten, 0.95, 37, 7));
  EXPECT_LT(first.low, first.median);
  EXPECT_GT(first.high, first.median);
  EXPECT_GE(first.low, 0.97);
  EXPECT_LE(first.high, 1.06);
}

TEST(hypothesis_tests, power_of_one_side_is_that_of_the_noncentral_t) {
  EXPECT_NEAR(power_inside({10, 2.1, 0.05}, {2.0, infinity}), 0.7839092351756262, 1e-8);
  EXPECT_NEAR(power_inside({5, 1.08, 0.06}, {1.0, infinity}), 0.5827848832366083, 1e-8);
  EXPECT_NEAR(power_outside({10, 1.9, 0.05}, {2.0, infinity}), 0.8224129855225819, 1e-8);
  EXPECT_NEAR(power_inside({2, 2.0, 0.01}, {1.0, infinity}), 1, 1e-6);
}

TEST(hypothesis_tests, power_between_two_ends_agrees_with_quadrature_and_with_powertost) {
  EXPECT_NEAR(power_inside({10, 1.02, 0.1}, {0.9, 1 / 0.9}), 0.6163651293060597, 1e-6);
  // PowerTOST (Labes, Schütz, Lang), sampleN.TOST(CV = 0.3): 40 subjects in a 2×2 crossover, power 0.815845.
  EXPECT_NEAR(probability_between(-2.6179885546874644, 4.180805626251476, 1.685954457643814, 38), 0.815845,
              1e-6);
}

TEST(hypothesis_tests, without_scatter_power_is_all_or_nothing) {
  EXPECT_EQ(power_inside({1, 2.5, 0}, {2, infinity}), 1);
  EXPECT_EQ(power_outside({1, 2.5, 0}, {2, infinity}), 0);
  EXPECT_EQ(power_outside({1, 1.5, 0}, {2, infinity}), 1);
  EXPECT_EQ(power_inside({1, 2.5, 0.01}, {2, infinity}), 0);  // one launch has no spread to judge by
}

TEST(hypothesis_tests, launches_needed_are_the_fewest_that_clear_the_end) {
  const LogMoments m{std::log(1.03), 0.05, 10};
  const Region region{1, infinity};
  const int n = launches_needed(m, region, 0.05);
  const auto half = [&](int k) { return harness::student_t_quantile(0.975, k - 1) * m.sd / std::sqrt(k); };
  EXPECT_LT(half(n), m.mean);
  EXPECT_GE(half(n - 1), m.mean);
  EXPECT_EQ(launches_needed({0, 0.05, 10}, region, 0.05, 1000), 1001);
}

/// Share of `studies` in which a nominal 95 % interval over launch medians holds the truth.
double coverage(int launches, int studies, uint64_t seed,
                const std::function<harness::Interval(const std::vector<double>&)>& interval) {
  LaunchModel model(seed);
  int held = 0;
  for (int study = 0; study < studies; ++study) {
    const auto values = model.launch_medians(launches, 50);
    const harness::Interval made = interval(values);
    held += made.low <= 1 && 1 <= made.high ? 1 : 0;
  }
  return static_cast<double>(held) / studies;
}

TEST(hypothesis_tests, t_interval_on_launch_medians_covers_its_95_percent) {
  for (const int launches : {5, 10}) {
    const double share =
        coverage(launches, 3000, 11, [](const auto& v) { return harness::log_t_interval(v, 0.95); });
    EXPECT_GT(share, 0.93) << launches;
    EXPECT_LT(share, 0.97) << launches;
  }
}

TEST(hypothesis_tests, sign_interval_covers_more_and_the_bootstrap_less) {
  EXPECT_GT(coverage(10, 2000, 12, [](const auto& v) { return harness::sign_interval(v, 0.95); }), 0.96);
  EXPECT_LT(coverage(5, 1000, 13, [](const auto& v) { return bootstrap_interval(v, 0.95, 400, 1); }), 0.94);
}

TEST(hypothesis_tests, planned_power_is_what_simulated_studies_have) {
  const Region region{1, infinity};
  const double planned = power_inside({10, 1.02, 0.0205}, region);
  LaunchModel model(14);
  int inside = 0;
  constexpr int studies = 3000;
  for (int study = 0; study < studies; ++study) {
    auto values = model.launch_medians(10, 50);
    for (double& value : values) value *= 1.02;
    inside += tost_p(values, region) <= 0.025 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(inside) / studies, planned, 0.03);
}

}  // namespace
}  // namespace analysis
