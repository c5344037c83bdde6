#include "probes/decode_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "harness/error.hpp"
#include "harness/fake_clock.hpp"
#include "models/kernels/select.hpp"
#include "models/shape.hpp"

namespace probes {
namespace {

/// The smallest built-in model with another context.
models::Shape shape_of(int context) {
  models::Shape shape = models::find_shape("coreflow_1_9m");
  shape.context = context;
  return shape;
}

DecodeProfile profile(int context, const harness::Clock& clock = harness::steady_clock()) {
  const models::Shape shape = shape_of(context);
  models::Decoder decoder(shape, models::synthetic_weights(shape, 1), *models::kernel_tables().front());
  return profile_decode(decoder, shape, clock, 3);
}

TEST(DecodeProfile, cuts_the_ranges_to_the_context) {
  const DecodeProfile longer = profile(100);
  ASSERT_EQ(longer.ranges.size(), 1U);
  EXPECT_EQ(longer.ranges[0].position_first, 65);
  EXPECT_EQ(longer.ranges[0].position_last, 99);
  const DecodeProfile shorter = profile(20);
  ASSERT_EQ(shorter.ranges.size(), 1U);
  EXPECT_EQ(shorter.ranges[0].position_first, 0);
  EXPECT_EQ(shorter.ranges[0].position_last, 19);
}

TEST(DecodeProfile, steps_cover_every_position_once) {
  const DecodeProfile made = profile(130);
  ASSERT_EQ(made.steps.size(), 3U);
  int next = 0;
  for (const PositionStep& step : made.steps) {
    EXPECT_EQ(step.position_first, next);
    EXPECT_GT(step.token_ns, 0);
    next = step.position_last + 1;
  }
  EXPECT_EQ(next, 130);
}

TEST(DecodeProfile, ops_take_time_and_no_more_than_the_steps_that_they_are_part_of) {
  const DecodeProfile made = profile(100);
  EXPECT_EQ(made.passes, 3);
  EXPECT_GT(made.clock_pair_ns, 0);
  const RangeProfile& range = made.ranges[0];
  for (const auto op : {models::Op::gemv, models::Op::attention, models::Op::head, models::Op::rest})
    EXPECT_GT(range.op_ns[static_cast<size_t>(op)], 0);
  // Each figure is a median of its own: they need not come from one pass.
  EXPECT_LT(std::accumulate(range.op_ns.begin(), range.op_ns.end(), 0.0), 1.5 * range.profiled_ns);
}

TEST(DecodeProfile, times_the_whole_steps_on_the_clock_it_is_given) {
  harness::FakeClock clock;
  clock.per_read_ns = 7;
  const DecodeProfile made = profile(20, clock.clock());
  EXPECT_DOUBLE_EQ(made.ranges[0].unprofiled_ns, 7);
  EXPECT_DOUBLE_EQ(made.ranges[0].profiled_ns, 7);
  EXPECT_DOUBLE_EQ(made.steps[0].token_ns, 7);
  EXPECT_NEAR(made.clock_pair_ns, 14, 0.1);
}

TEST(DecodeProfile, leaves_the_decoder_unprofiled_and_can_be_stopped) {
  const models::Shape shape = shape_of(20);
  models::Decoder decoder(shape, models::synthetic_weights(shape, 1), *models::kernel_tables().front());
  std::vector<double> fractions;
  profile_decode(decoder, shape, harness::steady_clock(), 2, [&](double done) { fractions.push_back(done); });
  EXPECT_EQ(fractions, (std::vector<double>{0, 0.25, 0.5, 0.75}));
  const auto stop = [](double done) {
    if (done > 0.3) throw harness::Error(harness::ExitCode::interrupted, "stopped");
  };
  EXPECT_THROW(profile_decode(decoder, shape, harness::steady_clock(), 2, stop), harness::Error);
}

TEST(DecodeProfile, the_read_stream_gives_a_rate_per_sample) {
  const std::vector<double> rates =
      read_rates(harness::read_cpu_features(), harness::steady_clock(), 1'000'001);
  EXPECT_EQ(rates.size(), 5U);
  EXPECT_GT(*std::min_element(rates.begin(), rates.end()), 0);
}

}  // namespace
}  // namespace probes
