#include "probes/eviction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/clock.hpp"
#include "harness/cold_size.hpp"
#include "harness/fake_clock.hpp"
#include "harness/line_looks.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

constexpr int64_t mib = int64_t{1} << 20;
constexpr int samples = 3;

std::vector<harness::Series> run_all(const harness::Clock& clock, const std::vector<int64_t>& sizes_bytes) {
  const harness::Topology topology;
  const auto features = harness::read_cpu_features();
  return find_probe("eviction")
      .run_all(ProbeContext{topology, features, clock, sizes_bytes, 2, samples, 7, {}});
}

harness::Series run_probe(const harness::Clock& clock, const std::vector<int64_t>& sizes_bytes) {
  return run_all(clock, sizes_bytes).front();
}

int64_t param(const harness::Series& series, const std::string& name) {
  return std::get<int64_t>(series.params.at(name));
}

TEST(StreamedSizes, go_up_to_four_caches_or_half_a_gibibyte) {
  const std::vector<int64_t> least{16 * mib,  32 * mib,  64 * mib,  128 * mib,
                                   256 * mib, 384 * mib, 512 * mib, 1024 * mib};
  EXPECT_EQ(streamed_sizes(0, 2048 * mib), least);
  EXPECT_EQ(streamed_sizes(32 * mib, 2048 * mib), least);
  auto more = least;
  more.insert(more.end() - 1, {768 * mib});
  EXPECT_EQ(streamed_sizes(260 * mib, 2048 * mib), more);
}

TEST(StreamedSizes, stay_within_the_budget) {
  EXPECT_EQ(streamed_sizes(32 * mib, 100 * mib), (std::vector<int64_t>{16 * mib, 32 * mib, 64 * mib}));
  EXPECT_TRUE(streamed_sizes(32 * mib, 16 * mib - 1).empty());
  EXPECT_TRUE(streamed_sizes(32 * mib, -1).empty());
}

TEST(Eviction, takes_a_lap_over_the_same_set_at_each_size_and_stores_its_references) {
  const auto all = run_all(harness::steady_clock(), {mib, 4 * mib});
  const auto& series = all.front();
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
  EXPECT_EQ(series.sizes_bytes, (std::vector<int64_t>{mib, 4 * mib}));
  const int64_t set_bytes = param(series, "set_bytes");
  EXPECT_EQ(series.work_per_sample, (std::vector<int64_t>{set_bytes, set_bytes}));
  ASSERT_EQ(series.samples_by_size.size(), 2U);
  for (const auto& laps : series.samples_by_size) {
    EXPECT_EQ(laps.size(), static_cast<size_t>(samples));
    EXPECT_GT(*std::min_element(laps.begin(), laps.end()), 0);
  }
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].probe, "eviction_references");
  EXPECT_EQ(all[1].sizes_bytes, (std::vector<int64_t>{mib, 4 * mib, mib, 4 * mib})) << "warm, then flushed";
  for (const auto& laps : all[1].samples_by_size) EXPECT_EQ(laps.size(), static_cast<size_t>(samples));
  EXPECT_GT(all[1].totals.wall_ns, 0);
  EXPECT_EQ(all[2].probe, "eviction_small_pages");
  EXPECT_EQ(all[2].sizes_bytes, all[1].sizes_bytes) << "flushed, then streamed";
  for (const auto& laps : all[2].samples_by_size) EXPECT_EQ(laps.size(), static_cast<size_t>(samples));
}

TEST(Eviction, finds_what_its_document_lets_others_find) {
  const auto all = run_all(harness::steady_clock(), {mib, 64 * mib});
  const auto& series = all.front();
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  const auto calibration = harness::read_calibration(series.params);
  std::vector<std::vector<harness::LineCount>> looks;
  for (size_t i = 0; harness::available(calibration) && i < series.sizes_bytes.size(); ++i) {
    const auto& digits = std::get<std::string>(series.params.at("looks_" + std::to_string(i)));
    looks.emplace_back();
    const auto counts = harness::read_look_digits(digits);
    for (const int64_t count : std::get<std::vector<int64_t>>(counts))
      looks.back().push_back({param(series, "lines_per_look"), count});
    EXPECT_EQ(looks.back().size(), static_cast<size_t>(samples));
  }
  EXPECT_NE(series.params.count("no_meter"), series.params.count("threshold_ticks"));
  const auto cold = harness::find_cold_bytes(
      harness::lap_references(all[1].samples_by_size), series.sizes_bytes, series.samples_by_size,
      looks.empty() ? harness::ResidencyCalibration{} : std::get<harness::ResidencyCalibration>(calibration),
      looks);
  EXPECT_NE(series.params.count("cold_bytes"), series.params.count("not_evicted"));
  ASSERT_EQ(harness::available(cold), series.params.count("cold_bytes") == 1);
  if (!harness::available(cold)) return;
  EXPECT_EQ(std::get<int64_t>(cold), param(series, "cold_bytes"));
  EXPECT_GT(param(series, "cold_stream_ns"), 0);
}

TEST(Eviction, finds_nothing_when_all_laps_take_the_same_time) {
  harness::FakeClock time;
  time.per_read_ns = 1000;
  const auto series = run_probe(time.clock(), {mib, 2 * mib});
  if (series.status == harness::Status::unavailable) GTEST_SKIP() << series.reason;
  EXPECT_EQ(series.params.count("cold_bytes"), 0U);
  EXPECT_NE(std::get<std::string>(series.params.at("not_evicted")).find("cannot be told apart"),
            std::string::npos);
}

TEST(Eviction, is_unavailable_for_a_stream_beyond_the_memory_budget) {
  const auto series = run_probe(harness::steady_clock(), {int64_t{1} << 40});
  EXPECT_EQ(series.status, harness::Status::unavailable);
  EXPECT_NE(series.reason.find("exceeds"), std::string::npos) << series.reason;
}

}  // namespace
}  // namespace probes
