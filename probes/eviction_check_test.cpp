#include "probes/eviction_check.hpp"

#include <gtest/gtest.h>

#include "harness/buffer.hpp"
#include "harness/cpu_features.hpp"
#include "harness/fake_clock.hpp"

namespace probes {
namespace {

/// A meter whose timer says "cached" as long as nothing was evicted.
struct Script {
  bool evicted = false;
  int evictions = 0, uses = 0;
  harness::FakeClock clock;

  [[nodiscard]] LoadTimer timer() { return {&Script::read, this, "scripted"}; }
  [[nodiscard]] ResidencyMeter meter() { return {timer(), {150, 1000, 0, 1000, 0}}; }

 private:
  static int64_t read(void* context, const std::byte*) {
    return static_cast<Script*>(context)->evicted ? 400 : 60;
  }
};

EvictionCheck make_check(const harness::Buffer& weights, Script& script) {
  return {{Region{weights.data() + 8, weights.bytes() - 8}},
          script.clock.clock(),
          harness::streams_tables().front(),
          script.meter(),
          3,
          1};
}

TEST(EvictionCheck, looks_after_the_eviction_and_never_at_what_it_warmed) {
  const harness::Buffer weights(size_t{1} << 20, harness::Pages::small);
  Script script;
  script.clock.per_read_ns = 1000;
  auto check = make_check(weights, script);
  harness::Counters counters;
  for (int i = 0; i < 4; ++i) {
    check.run(
        [&] {
          ++script.uses;
          script.evicted = false;
        },
        [&] {
          ++script.evictions;
          script.evicted = true;
        },
        counters);
  }
  EXPECT_EQ(script.uses, 8);
  EXPECT_EQ(script.evictions, 8);
  EXPECT_TRUE(check.laps_agree());
  const auto evidence = check.evidence();
  EXPECT_EQ(evidence.checks, 4);
  EXPECT_EQ(evidence.seen, (harness::LineCount{256, 0}));
  EXPECT_EQ(evidence.lap_bytes, (1 << 20) - 512) << "whole turns of the stream, from an aligned line on";
  EXPECT_EQ(evidence.first_lap_ns, 1000);
  // All laps take the same time on this clock: the meter alone judges.
  const auto verdict = harness::judge_eviction(evidence);
  ASSERT_TRUE(harness::available(verdict));
  EXPECT_TRUE(std::get<harness::EvictionVerdict>(verdict).evicted);
}

TEST(EvictionCheck, an_eviction_that_does_nothing_is_found_out) {
  const harness::Buffer weights(size_t{1} << 20, harness::Pages::small);
  Script script;
  script.clock.per_read_ns = 1000;
  auto check = make_check(weights, script);
  harness::Counters counters;
  check.run([] {}, [] {}, counters);
  const auto verdict = harness::judge_eviction(check.evidence());
  ASSERT_TRUE(harness::available(verdict));
  EXPECT_FALSE(std::get<harness::EvictionVerdict>(verdict).evicted);
}

TEST(EvictionCheck, tells_when_the_weights_change_under_it) {
  const harness::Buffer weights(size_t{1} << 20, harness::Pages::small);
  Script script;
  script.clock.per_read_ns = 1000;
  auto check = make_check(weights, script);
  harness::Counters counters;
  check.run([] {}, [] {}, counters);
  EXPECT_TRUE(check.laps_agree());
  int uses = 0;
  check.run([&] { weights.data()[4096] ^= std::byte{++uses == 1}; }, [] {}, counters);
  EXPECT_FALSE(check.laps_agree());
}

TEST(EvictionCheck, writes_what_a_reader_judges_alike) {
  const harness::Buffer weights(size_t{1} << 20, harness::Pages::small);
  Script script;
  script.clock.per_read_ns = 1000;
  auto check = make_check(weights, script);
  harness::Counters counters;
  check.run([] {}, [&] { script.evicted = true; }, counters);
  const auto params = check.params();
  const auto read = harness::read_evidence(params);
  ASSERT_TRUE(harness::available(read)) << std::get<harness::Unavailable>(read).reason;
  EXPECT_EQ(std::get<harness::EvictionEvidence>(read).seen, check.evidence().seen);
  EXPECT_EQ(params.count("check_counted_misses"), params.count("check_counted_lines"));
}

}  // namespace
}  // namespace probes
