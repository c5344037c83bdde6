#include "analysis/kernel_speed.hpp"

#include <gtest/gtest.h>

#include "analysis/test_kernel_rates.hpp"

namespace analysis {
namespace {

models::KernelUse int8_use() {
  models::KernelUse use;
  use.kernel = "int8";
  use.cols = 144;
  use.reads = models::Reads::dense;
  return use;
}

const KernelSpeed known{50e-9, 100e9, 40e9, 10e9, 0, 0, 0};

harness::Submission probed(const harness::Series& series) {
  harness::Submission made;
  made.launches.resize(1);
  made.launches[0].purpose = "probes";
  made.launches[0].series = {series};
  return made;
}

KernelSpeed speed_of(const harness::Series& series) {
  return std::get<KernelSpeed>(kernel_speed(probed(series), "avx2", int8_use()));
}
std::string reason(const harness::Submission& submission, const std::string& isa,
                   const models::KernelUse& use) {
  return std::get<harness::Unavailable>(kernel_speed(submission, isa, use)).reason;
}

TEST(KernelSpeed, parts_a_call_from_its_bytes_and_finds_each_levels_rate) {
  const KernelSpeed speed = speed_of(test_kernel_series("avx2", int8_use(), known));
  EXPECT_NEAR(speed.call_s, 50e-9, 1e-11);
  EXPECT_NEAR(speed.l2_bytes_per_s, 100e9, 1e7);
  EXPECT_NEAR(speed.l3_bytes_per_s, 40e9, 1e7);
  EXPECT_NEAR(speed.dram_bytes_per_s, 10e9, 1e7);
  EXPECT_NEAR(speed.l3_log_width, 0, 1e-9);
}

TEST(KernelSpeed, one_disturbed_sample_of_five_moves_neither_the_rate_nor_its_width) {
  auto series = test_kernel_series("avx2", int8_use(), known);
  series.samples_by_size[2][3] *= 30;
  const KernelSpeed speed = speed_of(series);
  EXPECT_NEAR(speed.l3_bytes_per_s, 40e9, 1e7);
  EXPECT_NEAR(speed.l3_log_width, 0, 1e-9);
  for (size_t i = 0; i < 5; ++i) series.samples_by_size[2][i] += static_cast<int64_t>(i) * 4'000'000;
  EXPECT_GT(speed_of(series).l3_log_width, 0.02);
}

TEST(KernelSpeed, a_short_call_slower_than_its_share_never_makes_time_negative) {
  auto series = test_kernel_series("avx2", int8_use(), known);
  series.samples_by_size[0].assign(5, series.samples_by_size[1][0] * 2);
  const KernelSpeed speed = speed_of(series);
  EXPECT_EQ(speed.call_s, 0);
  EXPECT_NEAR(speed.l2_bytes_per_s, 64'000 / 690e-9, 1e7);
}

TEST(KernelSpeed, says_what_has_not_been_measured) {
  const auto made = probed(test_kernel_series("avx2", int8_use(), known));
  models::KernelUse other = int8_use();
  other.cols = 396;
  EXPECT_EQ(reason(made, "avx2", other), "kernel_rates has not measured int8 of 396 columns on avx2");
  EXPECT_EQ(reason(made, "scalar", int8_use()),
            "kernel_rates has not measured int8 of 144 columns on scalar");
  EXPECT_EQ(reason({}, "avx2", int8_use()), "kernel_rates has not run");
  auto failed = made;
  failed.launches[0].series[0].status = harness::Status::failed;
  failed.launches[0].series[0].reason = "wrong checksum";
  EXPECT_EQ(reason(failed, "avx2", int8_use()), "kernel_rates: int8 of 144 columns on avx2: wrong checksum");
}

TEST(KernelSpeed, malformed_series_are_unavailable) {
  for (const char* name : {"levels", "call_bytes", "short_call_bytes"}) {
    auto series = test_kernel_series("avx2", int8_use(), known);
    series.params.erase(name);
    EXPECT_FALSE(harness::available(kernel_speed(probed(series), "avx2", int8_use()))) << name;
  }
  auto series = test_kernel_series("avx2", int8_use(), known);
  series.samples_by_size.pop_back();
  EXPECT_FALSE(harness::available(kernel_speed(probed(series), "avx2", int8_use())));
}

/// With cold calls of 16,000, 64,000 and 256,000 bytes that begin with a wait of 300 ns.
harness::Series waiting_series() {
  auto series = test_kernel_series("avx2", int8_use(), known);
  series.params["levels"] = std::string("l2_short l2 l3 dram dram_short dram_far");
  series.params["far_call_bytes"] = int64_t{256'000};
  series.samples_by_size[3].assign(5, 100'000 * (300 + 6'400));
  for (const auto& [bytes, ns] : {std::pair{16'000, 300 + 1'600}, {256'000, 300 + 25'600}}) {
    series.sizes_bytes.push_back(bytes * 3);
    series.work_per_sample.push_back(int64_t{100'000} * bytes);
    series.samples_by_size.emplace_back(5, int64_t{100'000} * ns);
  }
  return series;
}

TEST(KernelSpeed, tells_what_beginning_a_call_in_memory_costs) {
  const KernelSpeed speed = speed_of(waiting_series());
  ASSERT_EQ(speed.cold_calls.size(), 3u);
  for (const double bytes : {4'000.0, 16'000.0, 50'000.0, 64'000.0, 1e6})
    EXPECT_NEAR(cold_call_s(speed.cold_calls, bytes), 300e-9 + bytes / 10e9, 1e-12) << bytes;
  // 2 calls of 1 MB, half of it from memory: half of two cold calls and half of two from L2.
  const auto time = std::get<KernelTime>(kernel_time(speed, 2, 2e6, {0.5, 0, 0.5}));
  EXPECT_NEAR(time.seconds, (2 * (300e-9 + 1e6 / 10e9) + 2 * (50e-9 + 1e6 / 100e9)) / 2, 1e-10);
}

TEST(KernelSpeed, a_call_length_that_says_nothing_is_not_extrapolated) {
  EXPECT_NEAR(cold_call_s({{100, 2e-6}, {200, 1e-6}}, 400), 2e-6, 1e-15);
  EXPECT_NEAR(cold_call_s({{100, 2e-6}, {200, 1e-6}}, 50), 1e-6, 1e-15);
  EXPECT_EQ(cold_call_s({{100, 1e-6}, {200, 4e-6}}, 10), 0);
  auto series = waiting_series();
  series.params["far_call_bytes"] = int64_t{64'000};
  EXPECT_TRUE(speed_of(series).cold_calls.empty()) << "two lengths are one";
}

TEST(KernelTime, adds_calls_and_each_levels_bytes) {
  const auto time = std::get<KernelTime>(kernel_time(known, 3, 1e6, {0.5, 0.3, 0.2}));
  EXPECT_NEAR(time.seconds, 3 * 50e-9 + 1e6 * (0.5 / 100e9 + 0.3 / 40e9 + 0.2 / 10e9), 1e-12);
  const auto crowded = std::get<KernelTime>(kernel_time(known, 3, 1e6, {0.5, 0.3, 0.2}, {20e9, 40e9}));
  EXPECT_NEAR(crowded.seconds, 3 * 50e-9 + 1e6 * (0.5 / 100e9 + 0.3 / 20e9 + 0.2 / 10e9), 1e-12);
  KernelSpeed no_memory = known;
  no_memory.dram_bytes_per_s = 0;
  EXPECT_TRUE(harness::available(kernel_time(no_memory, 1, 1e6, {1, 0, 0})));
  EXPECT_FALSE(harness::available(kernel_time(no_memory, 1, 1e6, {0.5, 0.3, 0.2})));
}

TEST(KernelSpeed, a_jump_costs_what_a_call_apart_takes_longer_than_one_in_order) {
  KernelSpeed speed;
  speed.cold_calls = {{1000, 1e-6}, {4000, 4e-6}};
  EXPECT_EQ(jump_s(speed, 1000, false), 0) << "not measured";
  speed.apart_calls = {{1000, 1.5e-6}, {4000, 5e-6}};
  EXPECT_NEAR(jump_s(speed, 1000, false), 0.5e-6, 1e-12);
  EXPECT_NEAR(jump_s(speed, 2500, false), 0.75e-6, 1e-12);
  EXPECT_NEAR(jump_s(speed, 9e9, false), 1e-6, 1e-12) << "as of the longest measured";
  speed.streamed_calls = {{1000, 2e-6}, {4000, 7e-6}};
  speed.streamed_ratio = 1.5;
  EXPECT_NEAR(jump_s(speed, 1000, true), 0.5e-6, 1e-12);
  EXPECT_NEAR(jump_s(speed, 4000, true), 1e-6, 1e-12);
  speed.apart_calls[0].seconds = 0.5e-6;
  EXPECT_EQ(jump_s(speed, 1000, false), 0) << "never a gain";
}

TEST(KernelSpeed, first_calls_count_each_kernel_once_and_never_below_nothing) {
  harness::Submission from;
  from.launches.emplace_back();
  from.launches[0].purpose = "probes";
  harness::Series series;
  series.probe = "kernel_rates";
  series.params = {{"isa", std::string("avx2")},
                   {"kernel", std::string("first_calls")},
                   {"levels", std::string("int8 add")},
                   {"call_bytes", int64_t{1}}};
  series.work_per_sample = {1, 1, 1, 1};
  series.samples_by_size = {{3000, 3000}, {1000, 1000}, {50, 50}, {60, 60}};
  from.launches[0].series = {series};
  models::KernelUse wide, narrow, add;
  wide.kernel = narrow.kernel = "int8";
  wide.cols = 512;
  narrow.cols = 64;
  add.kernel = "add";
  EXPECT_NEAR(first_calls_s(from, "avx2", {wide, narrow, add}), 2e-6, 1e-12);
  EXPECT_EQ(first_calls_s(from, "scalar", {wide}), 0);
  EXPECT_EQ(first_calls_s({}, "avx2", {wide}), 0);
}

}  // namespace
}  // namespace analysis
