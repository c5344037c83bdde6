// ecm of several threads.
#include <gtest/gtest.h>

#include "analysis/barrier_cost.hpp"
#include "analysis/ecm.hpp"
#include "analysis/forecast.hpp"
#include "analysis/test_kernel_rates.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

constexpr const char* model = "coreflow_1_9m";

harness::Series barriers_of(int64_t threads, int64_t near_ns, int64_t far_ns) {
  harness::Series series;
  series.probe = "barrier";
  series.work_unit = "barriers";
  series.params["threads"] = threads;
  series.sizes_bytes = {128, 16 << 10};
  series.work_per_sample = {1000, 1000};
  series.samples_by_size = {std::vector<int64_t>(5, 1000 * near_ns), std::vector<int64_t>(5, 1000 * far_ns)};
  return series;
}

/// Of one thread 50 and 200 ns.
void add_barriers(harness::Submission& to, int64_t threads, int64_t near_ns, int64_t far_ns) {
  to.launches[0].series.push_back(barriers_of(1, 50, 200));
  to.launches[0].series.push_back(barriers_of(threads, near_ns, far_ns));
}

harness::Submission probed(const TestRun& run = {}) {
  auto made = test_submission(run);
  add_test_kernels(made, "avx2", models::find_shape(model), {100e-9, 80e9, 40e9, 10e9, 0, 0, 0});
  return made;
}

harness::DecodeKey key_of(const harness::Submission& from, const char* mode) {
  auto key = decode_key(from.plans[0], from.machine, mode);
  key.model = model;
  key.routing = "none";
  key.position_first = 0;
  key.position_last = 127;
  key.threads = 2;
  return key;
}

std::string reason(const harness::Submission& from, const char* mode) {
  return std::get<harness::Unavailable>(ecm_forecast(from, models::find_shape(model), key_of(from, mode)))
      .reason;
}

EcmForecast forecast(const harness::Submission& from, const char* mode) {
  return std::get<EcmForecast>(ecm_forecast(from, models::find_shape(model), key_of(from, mode)));
}

double part_s(const EcmForecast& made, const std::string& name) {
  for (const auto& part : made.parts) {
    if (part.name == name) return part.seconds;
  }
  return 0;
}

TEST(EcmOfATeam, says_what_of_several_threads_was_not_measured) {
  TestRun run;
  run.l2_bytes = 256 << 10;
  auto from = probed(run);
  EXPECT_EQ(reason(from, "evict_flush"),
            "dram was not read by 2 threads together (dram_stream); tokroof probe does that with all cores");
  EXPECT_EQ(reason(from, "warm"),
            "l3 was not read by 2 threads together (load_bandwidth); tokroof probe does that with all cores");
  from = probed();
  EXPECT_EQ(reason(from, "warm"),
            "no barrier of 2 threads was measured (barrier has not run); tokroof probe does that with all "
            "cores");
  add_barriers(from, 4, 100, 100);
  EXPECT_EQ(reason(from, "warm"),
            "no barrier of 2 threads was measured (barrier has not run); tokroof probe does that with all "
            "cores")
      << "of four";
}

TEST(EcmOfATeam, is_what_the_busiest_thread_does_from_what_all_streamed_together) {
  TestRun run;
  run.l2_bytes = 256 << 10;
  auto from = probed(run);
  auto team = test_curve("dram_stream", "bytes", {256 << 20}, [](int64_t) { return 12e9; });
  team.params["threads"] = int64_t{2};
  from.launches[0].series.push_back(team);
  add_barriers(from, 2, 51, 201);
  // Each thread reads at 6 GB/s instead of 10.
  double seconds = 28e-9;
  for (const auto& use : models::token_work(models::find_shape(model), 0, 127, 2))
    seconds += use.calls * 100e-9 + use.bytes / (use.reads == models::Reads::dense ? 6e9 : 80e9);
  EXPECT_NEAR(forecast(from, "evict_flush").seconds / seconds, 1, 1e-4);
}

TEST(EcmOfATeam, each_barrier_costs_what_the_probe_measured) {
  auto from = probed();
  add_barriers(from, 2, 250, 400);
  const EcmForecast level = forecast(from, "warm");
  EXPECT_EQ(level.dense.l2, 1) << "half of the weights fit the L2 of each";
  EXPECT_NEAR(part_s(level, "barriers"), 28 * 200e-9, 1e-12);
  from.launches[0].series.back() = barriers_of(2, 100, 100'000);
  const EcmForecast steep = forecast(from, "warm");
  EXPECT_GT(part_s(steep, "barriers"), 28 * 200e-9) << "vectors are handed over, too";
  EXPECT_NEAR(steep.seconds - level.seconds, part_s(steep, "barriers") - part_s(level, "barriers"), 1e-12);
}

TEST(EcmOfATeam, the_barrier_is_among_its_inputs) {
  auto from = probed();
  const auto inputs = [&] {
    return make_forecasts(from, models::find_shape(model), key_of(from, "warm")).back().inputs_sha256;
  };
  const std::string without = inputs();
  add_barriers(from, 2, 200, 200);
  const std::string with = inputs();
  EXPECT_NE(without, with);
  from.launches[0].series.back() = barriers_of(2, 201, 200);
  EXPECT_NE(with, inputs());
}

TEST(BarrierCost, scatters_as_much_as_the_team_and_the_control_do) {
  auto from = probed();
  add_barriers(from, 2, 100, 800);
  for (const size_t back : {1, 2}) {  // the team, and one thread alone
    auto& series = *(from.launches[0].series.end() - static_cast<std::ptrdiff_t>(back));
    for (auto& samples : series.samples_by_size) samples.back() += 10'000;  // 10 ns per barrier
  }
  const auto width_s = [&] { return barrier_time(std::get<BarrierCost>(barrier_cost(from, 2)), 0).width_s; };
  // 100, 100, 100, 100, 110: exp(mean ± 2.13185 · s · √1.2) of logarithms is 92.267 … 112.592; of 50 and 60
  // 42.866 … 62.734; half of √(20.325² + 19.868²).
  EXPECT_NEAR(width_s(), 14.2113e-9, 1e-12);
  for (auto& samples : (from.launches[0].series.end() - 2)->samples_by_size) samples.back() -= 10'000;
  EXPECT_NEAR(width_s(), 10.1625e-9, 1e-12) << "of the team alone";
}

TEST(BarrierCost, is_what_a_barrier_takes_longer_than_one_thread_alone) {
  auto from = probed();
  add_barriers(from, 2, 100, 800);
  const auto cost = std::get<BarrierCost>(barrier_cost(from, 2));
  EXPECT_NEAR(barrier_time(cost, 0).seconds, 50e-9, 1e-12);
  EXPECT_NEAR(barrier_time(cost, 1 << 20).seconds, 600e-9, 1e-12);
  EXPECT_NEAR(barrier_time(cost, 128 + (16'384 - 128) / 2.0).seconds, 325e-9, 1e-12);
  EXPECT_NEAR(barrier_time(cost, 0).width_s, 0, 1e-15) << "samples without spread";
  from.launches[0].series.back() = barriers_of(2, 40, 800);
  EXPECT_EQ(barrier_time(std::get<BarrierCost>(barrier_cost(from, 2)), 0).seconds, 0)
      << "never less than nothing";
  from.launches[0].series.back().work_unit = "bytes";
  EXPECT_FALSE(available(barrier_cost(from, 2)));
  from = probed();
  from.launches[0].series.push_back(barriers_of(2, 100, 800));
  EXPECT_FALSE(available(barrier_cost(from, 2))) << "no control";
}

}  // namespace
}  // namespace analysis
