#include "harness/jump_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

const std::vector<int64_t> sizes{4096, 16384, 49152, 262144};

/// Times of one lap of 12,000 chunks at 20 bytes/ns after `jump_ns`, scaled per sample.
struct Laps {
  explicit Laps(double jump_ns, const std::vector<double>& scales = {1, 1.02, 0.98}) {
    for (const int64_t size : sizes) {
      work.push_back(size * 12'000);
      samples.emplace_back();
      for (const double scale : scales)
        samples.back().push_back(std::llround(scale * 12'000 * (jump_ns + static_cast<double>(size) / 20)));
    }
  }
  std::vector<int64_t> work;
  std::vector<std::vector<int64_t>> samples;
};

std::string reason(const Reading<JumpCost>& cost) {
  return available(cost) ? "" : std::get<Unavailable>(cost).reason;
}

TEST(JumpCost, a_line_gives_back_its_jump_and_rate) {
  const Laps laps(150);
  const auto cost = std::get<JumpCost>(fit_jump_cost(sizes, laps.work, laps.samples));
  EXPECT_NEAR(cost.jump_ns.median, 150, 0.1);
  EXPECT_LT(cost.jump_ns.low, 149);
  EXPECT_GT(cost.jump_ns.high, 151);
  EXPECT_NEAR(cost.read_bytes_per_s.median, 20e9, 1e6);
  EXPECT_LT(cost.read_bytes_per_s.low, 19.9e9);
  EXPECT_NEAR(cost.misfit_ratio, 0, 1e-4);
}

TEST(JumpCost, a_jump_below_zero_is_said_and_not_cut_off) {
  const Laps laps(-50);
  EXPECT_NEAR(std::get<JumpCost>(fit_jump_cost(sizes, laps.work, laps.samples)).jump_ns.median, -50, 0.1);
}

TEST(JumpCost, what_is_no_line_has_a_misfit) {
  Laps laps(150, {1});
  laps.samples[1][0] *= 2;
  const auto cost = std::get<JumpCost>(fit_jump_cost(sizes, laps.work, laps.samples));
  EXPECT_GT(cost.misfit_ratio, 0.2);
  EXPECT_EQ(cost.jump_ns.low, cost.jump_ns.high);
}

TEST(JumpCost, is_unavailable_with_the_reason_where_no_line_can_be_drawn) {
  Laps laps(150);
  const std::vector<int64_t> two{4096, 8192};
  EXPECT_NE(reason(fit_jump_cost(two, {laps.work.data(), 2}, {laps.samples.data(), 2})).find("three"),
            std::string::npos);
  EXPECT_NE(reason(fit_jump_cost(sizes, two, laps.samples)).find("fit together"), std::string::npos);
  Laps flat = laps;
  for (size_t i = 0; i < sizes.size(); ++i)
    flat.samples[i] = {flat.work[i] / sizes[i] * (1000 - 10 * static_cast<int64_t>(i))};
  EXPECT_NE(reason(fit_jump_cost(sizes, flat.work, flat.samples)).find("does not grow"), std::string::npos);
  const std::vector<int64_t> same(4, 4096);
  EXPECT_FALSE(available(fit_jump_cost(same, laps.work, laps.samples)));
  laps.samples[2][1] = 0;
  EXPECT_NE(reason(fit_jump_cost(sizes, laps.work, laps.samples)).find("positive"), std::string::npos);
  laps.samples[2].clear();
  EXPECT_NE(reason(fit_jump_cost(sizes, laps.work, laps.samples)).find("no sample"), std::string::npos);
}

}  // namespace
}  // namespace harness
