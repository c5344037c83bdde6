#include "harness/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/fake_clock.hpp"

namespace harness {
namespace {

/// A body that takes a scripted time per call and remembers how it was called.
struct ScriptedBody {
  FakeClock& clock;
  std::vector<int64_t> call_ns;  ///< cost of one repeat in the i-th call; the last one goes on for ever
  std::vector<int64_t> repeats_seen;

  void operator()(int64_t repeats) {
    const size_t call = std::min(repeats_seen.size(), call_ns.size() - 1);
    repeats_seen.push_back(repeats);
    clock.now_ns += call_ns[call] * repeats;
  }
};

TEST(sampler, finds_the_repeats_that_make_a_sample_long_enough) {
  FakeClock fake;
  ScriptedBody body{fake, {1000}, {}};
  const Samples samples = sample(fake.clock(), {}, std::ref(body));
  EXPECT_GE(samples.repeats, 200);
  EXPECT_LE(samples.repeats, 221) << "a tenth in hand, not more";
  EXPECT_EQ(samples.durations_ns, std::vector<int64_t>(5, samples.repeats * 1000));
}

TEST(sampler, a_body_that_is_long_enough_is_not_repeated) {
  FakeClock fake;
  ScriptedBody body{fake, {200'000}, {}};
  EXPECT_EQ(sample(fake.clock(), {}, std::ref(body)).repeats, 1);
  EXPECT_EQ(body.repeats_seen.size(), 2u + 5u) << "two laps that agree, then the samples";
}

TEST(sampler, a_cold_first_lap_does_not_fix_the_repeats) {
  FakeClock fake;
  ScriptedBody body{fake, {300'000, 150'000, 1000}, {}};  // slow first touches, then 1 µs
  const Samples samples = sample(fake.clock(), {}, std::ref(body));
  EXPECT_GE(samples.durations_ns.front(), 200'000);
}

TEST(sampler, warm_up_goes_on_until_two_laps_agree) {
  FakeClock fake;
  ScriptedBody body{fake, {900'000, 700'000, 500'000, 300'000, 299'000}, {}};
  const Samples samples = sample(fake.clock(), {}, std::ref(body));
  EXPECT_EQ(body.repeats_seen.size(), 5u + 5u);
  EXPECT_EQ(samples.durations_ns, std::vector<int64_t>(5, 299'000)) << "no warm-up lap is taken for a sample";
}

TEST(sampler, laps_that_differ_by_more_than_two_per_cent_do_not_agree) {
  FakeClock fake;
  ScriptedBody body{fake, {1'000'000, 979'000, 1'000'000, 1'000'000}, {}};
  sample(fake.clock(), {}, std::ref(body));
  EXPECT_EQ(body.repeats_seen.size(), 4u + 5u);
}

TEST(sampler, warm_up_of_a_body_that_never_settles_ends_with_its_time) {
  FakeClock fake;
  std::vector<int64_t> restless(1000, 300'000);
  for (size_t i = 1; i < restless.size(); i += 2) restless[i] = 600'000;
  ScriptedBody body{fake, restless, {}};
  SamplerOptions options;
  options.max_warmup_ns = 4'500'000;
  sample(fake.clock(), options, std::ref(body));
  EXPECT_EQ(body.repeats_seen.size(), 10u + 5u);  // 5 × (300 + 600) µs, then the samples
}

TEST(sampler, discards_nothing) {
  FakeClock fake;
  ScriptedBody body{fake, {500'000, 500'000, 510'000, 9'000'000, 490'000, 500'000, 1}, {}};
  const Samples samples = sample(fake.clock(), {}, std::ref(body));
  EXPECT_EQ(samples.durations_ns, (std::vector<int64_t>{510'000, 9'000'000, 490'000, 500'000, 1}));
}

TEST(sampler, repeats_stop_at_their_maximum_even_when_the_body_takes_no_time) {
  FakeClock fake;
  ScriptedBody body{fake, {0}, {}};
  SamplerOptions options;
  options.max_repeats = 1000;
  const Samples samples = sample(fake.clock(), options, std::ref(body));
  EXPECT_EQ(samples.repeats, 1000);
  EXPECT_EQ(samples.durations_ns, std::vector<int64_t>(5, 0));
}

TEST(sampler, repeats_never_grow_more_than_tenfold_at_a_time) {
  FakeClock fake;
  ScriptedBody body{fake, {1}, {}};
  sample(fake.clock(), {}, std::ref(body));
  for (size_t i = 1; i < body.repeats_seen.size(); ++i) {
    EXPECT_LE(body.repeats_seen[i], 10 * body.repeats_seen[i - 1]);
  }
}

TEST(sampler, takes_as_many_samples_as_asked) {
  FakeClock fake;
  ScriptedBody body{fake, {400'000}, {}};
  SamplerOptions options;
  options.samples = 17;
  EXPECT_EQ(sample(fake.clock(), options, std::ref(body)).durations_ns.size(), 17u);
}

}  // namespace
}  // namespace harness
