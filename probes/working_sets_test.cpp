#include "probes/working_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace probes {
namespace {

constexpr int64_t mib = 1 << 20;

TEST(WorkingSets, reach_from_4_kib_to_four_times_the_last_level_cache) {
  const auto sizes = working_sets(32 * mib, 2);
  EXPECT_EQ(sizes.front(), 4096);
  EXPECT_EQ(sizes.back(), 128 * mib);
  EXPECT_EQ(sizes.size(), 31U);  // 15 octaves
}

TEST(WorkingSets, reach_64_mib_when_the_cache_is_small_or_unknown) {
  EXPECT_EQ(working_sets(0, 2).back(), 64 * mib);
  EXPECT_EQ(working_sets(1 * mib, 4).back(), 64 * mib);
}

TEST(WorkingSets, never_exceed_the_limit_of_a_cache_that_is_no_power_of_two) {
  const auto sizes = working_sets(260 * mib, 2);
  EXPECT_LE(sizes.back(), 4 * 260 * mib);
  EXPECT_GT(sizes.back(), 2 * 260 * mib);
}

TEST(WorkingSets, are_ascending_multiples_of_the_quantum_with_even_steps) {
  for (int per_octave : {1, 2, 3, 4, 64}) {
    const auto sizes = working_sets(33 * mib, per_octave);
    for (size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(sizes[i] % size_quantum_bytes, 0);
      if (i > 0) {
        EXPECT_GT(sizes[i], sizes[i - 1]);
      }
    }
  }
  const auto sizes = working_sets(0, 1);
  for (size_t i = 1; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 2 * sizes[i - 1]);
}

}  // namespace
}  // namespace probes
