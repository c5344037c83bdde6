#include "harness/retention.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

constexpr double ms = 1e6;

/// Delays as the probe spins them, and an exponential decay with that half-life.
std::vector<RetentionPoint> decay(double half_life_ms, double width = 0.05) {
  std::vector<RetentionPoint> points;
  for (const double delay_ms : {0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0}) {
    const double left = std::exp2(-delay_ms / half_life_ms);
    points.push_back({static_cast<int64_t>(delay_ms * ms),
                      {left, std::max(0.0, left - width), std::min(1.0, left + width)}});
  }
  return points;
}

TEST(Retention, finds_the_half_life_of_an_exponential_decay_inside_its_interval) {
  for (const double half_life_ms : {1.5, 4.0, 12.0, 25.0, 60.0}) {
    const auto found = find_half_life(decay(half_life_ms));
    ASSERT_TRUE(available(found.half_life_ns)) << half_life_ms;
    const auto& half_life = std::get<Interval>(found.half_life_ns);
    EXPECT_NEAR(half_life.median / ms, half_life_ms, 0.1 * half_life_ms);
    EXPECT_LE(half_life.low / ms, half_life_ms);
    EXPECT_GE(half_life.high / ms, half_life_ms);
    EXPECT_FALSE(found.longer_than_ns);
  }
}

TEST(Retention, where_nothing_decays_there_is_a_lower_bound_and_no_number) {
  const auto found = find_half_life(decay(1e9));
  ASSERT_FALSE(available(found.half_life_ns));
  EXPECT_EQ(found.longer_than_ns, 100 * ms);
  EXPECT_NE(std::get<Unavailable>(found.half_life_ns).reason.find("longer than 100.0 ms"), std::string::npos);
}

TEST(Retention, an_end_that_was_not_surely_seen_makes_a_bound) {
  // 45 % left at 100 ms, ± 10 points: the middle crosses, the upper curve does not.
  const auto found = find_half_life(decay(87, 0.1));
  ASSERT_FALSE(available(found.half_life_ns));
  ASSERT_TRUE(found.longer_than_ns);
  EXPECT_LT(*found.longer_than_ns, 87 * ms);
  EXPECT_GT(*found.longer_than_ns, 50 * ms);
}

TEST(Retention, a_point_that_rises_by_chance_is_no_recovery) {
  auto points = decay(12);
  points[6].fraction = {0.9, 0.85, 0.95};  // 15 ms
  const auto found = find_half_life(points);
  ASSERT_TRUE(available(found.half_life_ns));
  EXPECT_GT(std::get<Interval>(found.half_life_ns).median, 10 * ms);
  EXPECT_LT(std::get<Interval>(found.half_life_ns).median, 30 * ms);
}

TEST(Retention, half_is_half_of_what_was_there) {
  auto points = decay(10, 0.02);
  for (auto& point : points)
    point.fraction = {0.6 * point.fraction.median, 0.6 * point.fraction.low, 0.6 * point.fraction.high};
  EXPECT_NEAR(std::get<Interval>(find_half_life(points).half_life_ns).median, 10 * ms, 1 * ms);
}

/// Uniform in (0, 1).
double uniform(SplitMix64& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

/// Normal with standard deviation 1 (Box and Muller 1958).
double normal(SplitMix64& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(6.283185307179586 * uniform(random));
}

/// What a probe sees of a set whose half-life is another one in each round (or, not shared, at each look): 32
/// lines per look, one in a hundred called wrong either way.
struct Simulated {
  double half_life_ms, spread;  ///< of the half-life's logarithm
  bool shared = true;
  size_t rounds = 5;
};
constexpr double wrong_share = 0.01;
const std::vector<double> simulated_delays_ms{0, 0.5, 1, 2, 5, 10, 15, 20, 30, 50, 100};

std::vector<RetentionPoint> simulate(const Simulated& truth, double confidence, uint64_t seed) {
  SplitMix64 random(seed * 977 + 13);
  const auto half_life_now = [&] { return truth.half_life_ms * std::exp(truth.spread * normal(random)); };
  const auto count = [&](int64_t lines, double share) {
    int64_t hits = 0;
    for (int64_t i = 0; i < lines; ++i) hits += uniform(random) < share ? 1 : 0;
    return hits;
  };
  const ResidencyCalibration calibration{156, 128, count(128, wrong_share), 64, count(64, wrong_share)};
  std::vector<int64_t> delays_ns;
  for (const double delay_ms : simulated_delays_ms) delays_ns.push_back(std::llround(delay_ms * ms));
  std::vector<std::vector<LineCount>> looks(delays_ns.size());
  for (size_t round = 0; round < truth.rounds; ++round) {
    double half_life = half_life_now();
    for (size_t i = 0; i < looks.size(); ++i) {
      if (!truth.shared) half_life = half_life_now();
      const double left = std::exp2(-simulated_delays_ms[i] / half_life);
      looks[i].push_back({32, count(32, left * (1 - wrong_share) + (1 - left) * wrong_share)});
    }
  }
  return points_by_looks(delays_ns, looks, calibration, confidence);
}

/// Returns how often the interval, or the bound where there is only one, holds the true half-life.
double coverage(const Simulated& truth, double confidence) {
  constexpr int runs = 300;
  int held = 0;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    const auto found = find_half_life(simulate(truth, confidence, seed));
    const double true_ns = truth.half_life_ms * ms;
    if (const auto* half_life = std::get_if<Interval>(&found.half_life_ns)) {
      held += half_life->low <= true_ns && true_ns <= half_life->high ? 1 : 0;
    } else if (found.longer_than_ns) {
      held += *found.longer_than_ns <= true_ns ? 1 : 0;
    }
  }
  return static_cast<double>(held) / runs;
}

TEST(Retention, holds_the_true_half_life_as_often_as_it_says_when_rounds_differ) {
  // 300 runs of 0.95 scatter by 0.013, of 0.90 by 0.017.
  for (const double half_life_ms : {1.5, 4.0, 12.0, 25.0}) {
    for (const size_t rounds : {size_t{5}, size_t{10}}) {
      const Simulated noisy{half_life_ms, 0.7, true, rounds};
      EXPECT_GE(coverage(noisy, 0.95), 0.92) << half_life_ms << " ms, rounds " << rounds;
      EXPECT_LE(coverage(noisy, 0.95), 0.99) << half_life_ms << " ms, rounds " << rounds;
      EXPECT_GE(coverage(noisy, 0.90), 0.86) << half_life_ms << " ms, rounds " << rounds;
      EXPECT_LE(coverage(noisy, 0.90), 0.97) << half_life_ms << " ms, rounds " << rounds;
    }
  }
}

TEST(Retention, holds_it_no_less_often_when_looks_differ_or_nothing_does_but_the_lines) {
  for (const double half_life_ms : {1.5, 12.0, 60.0}) {
    EXPECT_GE(coverage({half_life_ms, 0.5, false}, 0.95), 0.93) << half_life_ms;
    EXPECT_GE(coverage({half_life_ms, 0}, 0.95), 0.93) << half_life_ms;
  }
}

TEST(Retention, cannot_tell_without_a_set_to_lose) {
  auto points = decay(10);
  points[0].fraction.median = 0.4;
  EXPECT_FALSE(available(find_half_life(points).half_life_ns));
  EXPECT_FALSE(find_half_life(points).longer_than_ns);
  points.resize(2);
  EXPECT_FALSE(available(find_half_life(points).half_life_ns));
}

TEST(Retention, laps_between_warm_and_cold_show_a_share) {
  const std::vector<double> laps{100, 150, 200};
  const auto share = std::get<Interval>(fraction_by_laps(laps, 100, 200));
  EXPECT_EQ(share.median, 0.5);
  EXPECT_EQ(share.low, 0);
  EXPECT_EQ(share.high, 1);
  EXPECT_EQ(std::get<Interval>(fraction_by_laps(std::vector<double>{90, 80}, 100, 200)).median, 1);
  EXPECT_FALSE(available(fraction_by_laps(laps, 190, 200)));
  EXPECT_FALSE(available(fraction_by_laps({}, 100, 200)));
}

TEST(Retention, weights_are_warm_when_a_lap_is_shorter_than_half_a_half_life) {
  const Retention ten_ms{Interval{10 * ms, 8 * ms, 12 * ms}, std::nullopt};
  const auto warm = [](double bytes, const Retention& retention) {
    return std::get<std::optional<bool>>(stays_warm(bytes, 10e9, retention));
  };
  EXPECT_EQ(warm(2e6, ten_ms), true);    // 0.2 ms
  EXPECT_EQ(warm(49e6, ten_ms), true);   // 4.9 ms
  EXPECT_EQ(warm(51e6, ten_ms), false);  // 5.1 ms
  const Retention bound{Unavailable{"longer than 10 ms"}, 10 * ms};
  EXPECT_EQ(warm(2e6, bound), true);
  EXPECT_EQ(warm(51e6, bound), std::nullopt);
  EXPECT_FALSE(available(stays_warm(2e6, 10e9, {Unavailable{"has not run"}, std::nullopt})));
  EXPECT_FALSE(available(stays_warm(2e6, 0, ten_ms)));
}

}  // namespace
}  // namespace harness
