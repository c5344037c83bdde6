#include "harness/cold_size.hpp"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

constexpr int64_t mib = int64_t{1} << 20;
const std::vector<int64_t> sizes{16 * mib, 32 * mib, 64 * mib, 128 * mib, 256 * mib};
const LapReferences references{{30'000, 29'000, 31'000}, {90'000, 88'000, 95'000}};

/// One lap time per size, in µs, seen five times with a little noise.
std::vector<std::vector<int64_t>> laps_us(const std::vector<int64_t>& medians_us) {
  std::vector<std::vector<int64_t>> laps;
  for (const int64_t us : medians_us) {
    const int64_t ns = us * 1000;
    laps.push_back({ns + 400, ns - 300, ns, ns + 100, ns - 700});
  }
  return laps;
}

int64_t cold_of(const std::vector<int64_t>& medians_us) {
  const auto cold = find_cold_bytes(references, sizes, laps_us(medians_us));
  return available(cold) ? std::get<int64_t>(cold) : 0;
}

std::string reason_of(const Reading<int64_t>& reading) {
  return available(reading) ? "" : std::get<Unavailable>(reading).reason;
}

TEST(ColdSize, is_the_first_size_of_the_cold_plateau) {
  EXPECT_EQ(cold_of({31, 45, 70, 89, 91}), 128 * mib);
}

TEST(ColdSize, is_the_smallest_size_when_all_are_cold) {
  EXPECT_EQ(cold_of({88, 90, 91, 89, 92}), 16 * mib);
}

TEST(ColdSize, is_unavailable_when_the_largest_stream_leaves_something_warm) {
  const auto never = find_cold_bytes(references, sizes, laps_us({31, 32, 40, 60, 79}));
  ASSERT_FALSE(available(never));
  EXPECT_NE(reason_of(never).find("268435456 streamed bytes"), std::string::npos) << reason_of(never);
  EXPECT_NE(reason_of(never).find("79000 ns"), std::string::npos) << reason_of(never);
}

TEST(ColdSize, its_reasons_fit_into_a_parameter) {
  constexpr size_t longest = 128;  // characters of a string in params
  constexpr int64_t large = int64_t{1} << 40;
  const double slow = 1e12;
  const LapReferences slow_ones{{slow / 2, slow / 2, slow / 2}, {slow, slow, slow}},
      same{{slow, slow, slow}, {slow, slow, slow}};
  const std::vector<int64_t> one{large};
  const std::vector<std::vector<int64_t>> warm_laps{{500'000'000'000}};
  EXPECT_LE(reason_of(find_cold_bytes(slow_ones, one, warm_laps)).size(), longest);
  EXPECT_LE(reason_of(find_cold_bytes(same, one, warm_laps)).size(), longest);
}

TEST(ColdSize, counts_only_from_where_all_larger_sizes_are_cold) {
  EXPECT_EQ(cold_of({31, 90, 60, 91, 90}), 128 * mib);
  EXPECT_EQ(cold_of({90, 90, 90, 90, 60}), 0);
}

TEST(ColdSize, takes_the_median_so_that_one_disturbed_lap_changes_nothing) {
  auto laps = laps_us({31, 31, 31, 90, 90});
  laps[2][0] = 5'000'000;
  laps[3][0] = 30'000;
  EXPECT_EQ(std::get<int64_t>(find_cold_bytes(references, sizes, laps)), 128 * mib);
}

TEST(ColdSize, a_lap_is_cold_from_nine_tenths_of_the_flushed_one) {
  EXPECT_DOUBLE_EQ(std::get<double>(cold_lap_ns(references)), 81'000);
  EXPECT_EQ(cold_of({31, 31, 31, 31, 81}), 256 * mib);
  EXPECT_EQ(cold_of({31, 31, 31, 31, 80}), 0);
}

TEST(ColdSize, a_lap_inside_the_flushed_interval_is_cold) {
  const LapReferences wide{{30'000, 29'000, 31'000}, {90'000, 70'000, 95'000}};
  EXPECT_DOUBLE_EQ(std::get<double>(cold_lap_ns(wide)), 70'000);
}

TEST(ColdSize, a_noisy_flushed_reference_does_not_make_a_warm_lap_cold) {
  const LapReferences noisy{{40'000, 29'000, 80'000}, {90'000, 30'000, 200'000}};
  EXPECT_DOUBLE_EQ(std::get<double>(cold_lap_ns(noisy)), 60'000);
  EXPECT_EQ(reason_of(find_cold_bytes(noisy, sizes, laps_us({45, 45, 45, 45, 45}))).find("cannot be told"),
            std::string::npos);
  EXPECT_FALSE(available(find_cold_bytes(noisy, sizes, laps_us({45, 45, 45, 45, 45}))));
}

TEST(ColdSize, is_unavailable_where_warm_and_flushed_laps_cannot_be_told_apart) {
  for (const double warm_ns : {85'000.0, 90'000.0, 200'000.0, 0.0}) {
    const LapReferences same{{warm_ns, warm_ns, warm_ns}, {90'000, 88'000, 95'000}};
    const auto cold = find_cold_bytes(same, sizes, laps_us({90, 90, 90, 90, 90}));
    EXPECT_NE(reason_of(cold).find("cannot be told apart"), std::string::npos) << warm_ns;
  }
}

TEST(ColdSize, is_unavailable_for_lists_that_do_not_fit_together) {
  const auto laps = laps_us({90, 90, 90, 90, 90});
  EXPECT_TRUE(available(find_cold_bytes(references, sizes, laps)));
  auto empty_one = laps;
  empty_one[1].clear();
  const std::vector<int64_t> fewer(sizes.begin(), sizes.end() - 1), falling(sizes.rbegin(), sizes.rend());
  EXPECT_FALSE(available(find_cold_bytes(references, fewer, laps)));
  EXPECT_FALSE(available(find_cold_bytes(references, falling, laps)));
  EXPECT_FALSE(available(find_cold_bytes(references, sizes, empty_one)));
  EXPECT_FALSE(available(find_cold_bytes(references, {}, {})));
}

TEST(ColdSize, lines_that_are_still_cached_outweigh_a_lap_like_a_flushed_one) {
  const LapReferences ends{{18'000, 17'500, 19'000}, {48'000, 47'500, 49'000}};
  const std::vector<int64_t> streamed{64 << 20, 128 << 20, 256 << 20};
  const std::vector<std::vector<int64_t>> laps{{48'100}, {49'000}, {50'000}};
  const ResidencyCalibration calibration{150, 128, 0, 64, 0};
  const auto cold = [&](const std::vector<LineCount>& seen) {
    std::vector<std::vector<LineCount>> looks;
    for (const LineCount& pooled : seen) looks.push_back({pooled});
    return find_cold_bytes(ends, streamed, laps, calibration, looks);
  };
  EXPECT_EQ(std::get<int64_t>(cold({})), 64 << 20);
  EXPECT_EQ(std::get<int64_t>(cold({{160, 0}, {160, 0}, {160, 0}})), 64 << 20);
  EXPECT_EQ(std::get<int64_t>(cold({{160, 77}, {160, 0}, {160, 0}})), 128 << 20);
  EXPECT_EQ(std::get<int64_t>(cold({{160, 0}, {160, 50}, {160, 1}})), 256 << 20) << "all larger ones, too";
  const auto never = cold({{160, 0}, {160, 0}, {160, 80}});
  ASSERT_FALSE(available(never));
  EXPECT_NE(std::get<Unavailable>(never).reason.find("50 %"), std::string::npos);
  EXPECT_FALSE(available(cold({{160, 0}})));
}

}  // namespace
}  // namespace harness
