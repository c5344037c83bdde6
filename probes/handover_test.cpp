#include "probes/handover.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace probes {
namespace {

TEST(handover, takes_time_between_two_pus_and_gives_the_binding_back) {
  const auto topology = harness::read_host_topology();
  const auto pus = harness::allowed_pus(topology);
  if (pus.size() < 2) GTEST_SKIP() << "only one PU is allowed here";
  const harness::Pin pin(topology, pus[0]);
  const int64_t ns = handover_ns(topology, pus[1], harness::steady_clock());
  EXPECT_GT(ns, 0);
  EXPECT_EQ(harness::affinity_pus(), std::vector<int>{pus[0]});
}

TEST(handover, to_a_pu_that_is_not_there_is_refused) {
  const auto topology = harness::read_host_topology();
  try {
    handover_ns(topology, 1 << 20, harness::steady_clock());
    FAIL() << "there is no such PU";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  }
}

}  // namespace
}  // namespace probes
