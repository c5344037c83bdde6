#include "probes/decode_team_control.hpp"

#include <gtest/gtest.h>

#include "harness/cycle_chain.hpp"
#include "harness/error.hpp"
#include "harness/fake_clock.hpp"
#include "harness/pinning.hpp"

namespace probes {
namespace {

TEST(TeamControl, of_one_pu_compares_a_core_with_itself) {
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  const TeamControl control =
      measure_team(topology, {pin.pu()}, harness::read_cpu_features(), harness::steady_clock(), 1 << 20);
  EXPECT_GT(control.together_clock_ratio, 0);
  EXPECT_EQ(control.together_hz_ratio > 0, harness::read_core_clock_hz() > 0);
  EXPECT_GT(control.read_bytes_per_s, 0);
}

TEST(TeamControl, takes_its_times_from_the_clock_it_is_given) {
  harness::FakeClock clock;
  clock.per_read_ns = 1000;
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  const TeamControl control =
      measure_team(topology, {pin.pu()}, harness::read_cpu_features(), clock.clock(), 1 << 20);
  EXPECT_DOUBLE_EQ(control.together_clock_ratio, 1);
  EXPECT_DOUBLE_EQ(control.read_bytes_per_s, 33.0 * (1 << 20) * 1e6);
}

TEST(TeamControl, a_pu_that_is_not_there_is_unavailable) {
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  EXPECT_THROW(measure_team(topology, {pin.pu(), 9999}, harness::read_cpu_features(), harness::steady_clock(),
                            1 << 20),
               harness::Error);
}

}  // namespace
}  // namespace probes
