#include "probes/residency_meter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "harness/buffer.hpp"
#include "harness/cpu_features.hpp"

namespace probes {
namespace {

constexpr size_t page_bytes = 4096;

Region all_of(const harness::Buffer& buffer) {
  return {buffer.data(), buffer.bytes()};
}

/// Says that the first `near_bytes` of a buffer are cached.
struct ScriptedTimer {
  const std::byte* base;
  std::ptrdiff_t near_bytes;
  int loads = 0;

  [[nodiscard]] LoadTimer timer() { return {&ScriptedTimer::read, this, "scripted"}; }

 private:
  static int64_t read(void* context, const std::byte* at) {
    auto& self = *static_cast<ScriptedTimer*>(context);
    ++self.loads;
    return at - self.base < self.near_bytes ? 60 : 350;
  }
};

TEST(LineDraw, takes_at_most_one_line_of_a_page_in_a_draw_and_no_line_twice) {
  const harness::Buffer buffer(16 * page_bytes, harness::Pages::small);
  LineDraw lines({all_of(buffer)}, 5);
  std::set<const std::byte*> seen;
  for (int i = 0; i < 8; ++i) {
    std::set<size_t> pages;
    for (const std::byte* line : lines.draw(16)) {
      const auto offset = static_cast<size_t>(line - buffer.data());
      ASSERT_LT(offset, buffer.bytes());
      EXPECT_EQ(offset % 64, 0U);
      EXPECT_TRUE(pages.insert(offset / page_bytes).second) << "two lines of page " << offset / page_bytes;
      EXPECT_TRUE(seen.insert(line).second) << "line at " << offset << " again";
      EXPECT_TRUE(seen.insert(translation_line(line)).second) << "loaded before, for its translation";
    }
  }
  EXPECT_GT(seen.size(), 16U * 8);
}

TEST(LineDraw, runs_dry_when_every_line_was_used_and_needs_whole_pages) {
  const harness::Buffer buffer(2 * page_bytes, harness::Pages::small);
  LineDraw lines({all_of(buffer)}, 1);
  size_t drawn = 0;
  for (int i = 0; i < 2000; ++i) drawn += lines.draw(4).size();
  EXPECT_EQ(drawn, 64U) << "a pair of lines each time, of 128";
  EXPECT_TRUE(LineDraw({all_of(buffer).subspan(64, page_bytes)}, 1).draw(1).empty());
}

TEST(LineDraw, translation_comes_from_the_other_half_of_the_same_page) {
  const harness::Buffer buffer(page_bytes, harness::Pages::small);
  EXPECT_EQ(translation_line(buffer.data() + 64) - buffer.data(), 64 + 2048);
  EXPECT_EQ(translation_line(buffer.data() + 3072) - buffer.data(), 1024);
}

TEST(ResidencyMeter, calls_lines_by_the_threshold) {
  const harness::Buffer buffer(256 * page_bytes, harness::Pages::small);
  ScriptedTimer script{buffer.data(), static_cast<std::ptrdiff_t>(buffer.bytes() / 4)};
  const ResidencyMeter meter(script.timer(), {150, 1000, 0, 1000, 0});
  LineDraw lines({all_of(buffer)}, 9);
  const auto all = meter.look(lines.draw(256));
  EXPECT_EQ(all, (harness::LineCount{256, 64})) << "one line of every page";
  EXPECT_EQ(script.loads, 256);
  EXPECT_EQ(meter.look(lines.draw(10)).lines, 10);
}

int64_t coarse_ticks(void* context, const std::byte* at) {
  constexpr int64_t tick = 1 << 20;
  return static_cast<LoadTimer*>(context)->ticks(at) / tick * tick;
}

TEST(ResidencyMeter, is_unavailable_with_a_timer_that_is_too_coarse) {
  const auto& streams = harness::select_streams(harness::read_cpu_features());
  auto timer = load_timer();
  if (!harness::available(timer)) GTEST_SKIP() << std::get<harness::Unavailable>(timer).reason;
  const LoadTimer coarse{&coarse_ticks, &std::get<LoadTimer>(timer), "coarse"};
  const auto meter = ResidencyMeter::make(coarse, harness::Topology{}, streams);
  ASSERT_TRUE(std::holds_alternative<harness::Unavailable>(meter));
  const auto& reason = std::get<harness::Unavailable>(meter).reason;
  EXPECT_TRUE(reason.find("cannot tell") != std::string::npos || reason.find("flush") != std::string::npos)
      << reason;
}

TEST(ResidencyMeter, is_unavailable_without_a_timer) {
  const auto& streams = harness::select_streams(harness::read_cpu_features());
  const auto meter = ResidencyMeter::make(harness::Unavailable{"no timer"}, harness::Topology{}, streams);
  ASSERT_TRUE(std::holds_alternative<harness::Unavailable>(meter));
  EXPECT_EQ(std::get<harness::Unavailable>(meter).reason, "no timer");
}

TEST(HardwareResidencyMeter, classes_95_of_100_lines_right_on_warm_and_flushed_sets) {
  const auto& streams = harness::select_streams(harness::read_cpu_features());
  const auto made = ResidencyMeter::make(load_timer(), harness::read_host_topology(), streams);
  if (const auto* why = std::get_if<harness::Unavailable>(&made)) GTEST_SKIP() << why->reason;
  const auto& meter = std::get<ResidencyMeter>(made);
  const harness::Buffer set(size_t{1} << 20, harness::Pages::small);
  LineDraw lines({all_of(set)}, 3);
  harness::LineCount warm, flushed;
  for (int round = 0; round < 8; ++round) {
    const auto first = lines.draw(32), second = lines.draw(32);
    for (int i = 0; i < 4; ++i) ASSERT_NE(streams.read(set.data(), set.bytes(), 1), 0U);
    warm += meter.look(first);
    harness::flush_from_caches(set.data(), set.bytes());
    flushed += meter.look(second);
  }
  EXPECT_GE(static_cast<double>(warm.resident), 0.95 * static_cast<double>(warm.lines));
  EXPECT_LE(static_cast<double>(flushed.resident), 0.05 * static_cast<double>(flushed.lines));
}

}  // namespace
}  // namespace probes
