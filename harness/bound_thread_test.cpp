#include "harness/bound_thread.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace harness {
namespace {

TEST(bound_thread, runs_where_it_is_told_and_leaves_the_caller_where_it_is) {
  const Topology topology = read_host_topology();
  const std::vector<int> before = affinity_pus();
  for (const int pu : allowed_pus(topology)) {
    std::vector<int> seen;
    start_bound_thread(topology, pu, [&seen] { seen = affinity_pus(); }).join();
    EXPECT_EQ(seen, std::vector<int>{pu});
  }
  EXPECT_EQ(affinity_pus(), before);
}

TEST(bound_thread, that_can_not_be_bound_does_no_work) {
  bool worked = false;
  try {
    start_bound_thread(read_host_topology(), 100'000, [&worked] { worked = true; }).join();
    FAIL() << "there is no such PU";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unavailable);
  }
  EXPECT_FALSE(worked);
}

}  // namespace
}  // namespace harness
