#include "probes/pointer_chase.hpp"

#include <gtest/gtest.h>

#include <new>
#include <set>
#include <vector>

namespace probes {
namespace {

int64_t cycle_length(const std::vector<uint32_t>& successor) {
  int64_t length = 0;
  uint32_t at = 0;
  do {
    at = successor[at];
    ++length;
  } while (at != 0 && length <= static_cast<int64_t>(successor.size()));
  return length;
}

TEST(PointerChase, the_cycle_goes_through_all_lines_for_every_size_and_seed) {
  for (int64_t lines : {1, 2, 3, 8, 64, 1000, 65536}) {
    for (uint64_t seed : {0U, 1U, 2U, 77U}) {
      const auto successor = single_cycle(lines, seed);
      ASSERT_EQ(static_cast<int64_t>(successor.size()), lines);
      EXPECT_EQ(std::set<uint32_t>(successor.begin(), successor.end()).size(), successor.size());
      EXPECT_EQ(cycle_length(successor), lines) << "seed " << seed;
    }
  }
}

TEST(PointerChase, the_order_depends_on_the_seed_and_on_nothing_else) {
  EXPECT_EQ(single_cycle(4096, 5), single_cycle(4096, 5));
  EXPECT_NE(single_cycle(4096, 5), single_cycle(4096, 6));
}

TEST(PointerChase, few_steps_lead_to_the_next_line) {
  const auto successor = single_cycle(4096, 1);
  int adjacent = 0;
  for (uint32_t i = 0; i < 4096; ++i) adjacent += (successor[i] == i + 1) ? 1 : 0;
  EXPECT_LT(adjacent, 20);  // a prefetcher would follow a sequential order; 1 is expected at random
}

struct Lines {
  explicit Lines(int64_t count)
      : base(
            static_cast<std::byte*>(::operator new (static_cast<size_t>(count) * 64, std::align_val_t{64}))) {
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { ::operator delete (base, std::align_val_t{64}); }
  std::byte* base;
};

TEST(PointerChase, a_chase_returns_to_its_start_after_exactly_one_lap) {
  constexpr int64_t lines = 1000;
  const Lines memory(lines);
  link_lines(memory.base, single_cycle(lines, 3));
  EXPECT_EQ(chase(memory.base, lines), memory.base);
  EXPECT_NE(chase(memory.base, lines - 1), memory.base);
  EXPECT_NE(chase(memory.base, lines / 2), memory.base);
}

TEST(PointerChase, a_chase_makes_as_many_steps_as_asked) {
  constexpr int64_t lines = 257;
  const Lines memory(lines);
  const auto successor = single_cycle(lines, 9);
  link_lines(memory.base, successor);
  uint32_t line = 0;
  for (int64_t loads = 0; loads < 100; ++loads) {
    EXPECT_EQ(chase(memory.base, loads), memory.base + int64_t{line} * 64) << loads;
    line = successor[line];
  }
}

TEST(PointerChase, windows_are_visited_whole_one_after_the_other_in_one_cycle) {
  constexpr int64_t lines = 1000, window = 64;
  const auto successor = single_cycle_in_windows(lines, window, 3);
  ASSERT_EQ(successor.size(), size_t{lines});
  std::vector<int> visits(lines), entries((lines + window - 1) / window);
  uint32_t at = 0;
  for (int64_t i = 0; i < lines; ++i) {
    const uint32_t next = successor[at];
    if (next / window != at / window) ++entries[next / window];
    ++visits[next];
    at = next;
  }
  EXPECT_EQ(at, 0U);
  for (const int count : visits) EXPECT_EQ(count, 1);
  for (const int count : entries) EXPECT_EQ(count, 1);
}

TEST(PointerChase, the_order_inside_windows_and_among_them_follows_the_seed) {
  const auto one = single_cycle_in_windows(1024, 64, 1);
  EXPECT_EQ(one, single_cycle_in_windows(1024, 64, 1));
  EXPECT_NE(one, single_cycle_in_windows(1024, 64, 2));
  EXPECT_EQ(single_cycle_in_windows(64, 64, 5), single_cycle(64, 5));
  int ascending = 0;
  for (size_t line = 0; line + 1 < one.size(); ++line) ascending += one[line] == line + 1 ? 1 : 0;
  EXPECT_LT(ascending, 64);
}

}  // namespace
}  // namespace probes
