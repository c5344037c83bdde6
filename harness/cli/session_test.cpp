#include "harness/cli/session.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(session, a_sibling_that_our_own_antagonist_kept_busy_is_called_that) {
  harness::Submission made;
  made.launches.resize(1);
  made.launches[0].series.resize(1);
  auto& series = made.launches[0].series[0];
  const auto told = [&](const char* state, const char* placement, harness::Status status) {
    made.conditions.smt_sibling = state;
    series.placement = placement;
    series.status = status;
    return told_sibling_state(made);
  };
  EXPECT_EQ(told("busy", "sibling", harness::Status::ok), "own");
  EXPECT_EQ(told("busy", "sibling", harness::Status::unavailable), "busy") << "it never ran";
  EXPECT_EQ(told("busy", "same_llc", harness::Status::ok), "busy");
  EXPECT_EQ(told("idle", "sibling", harness::Status::ok), "idle");
  EXPECT_EQ(told("none", "none", harness::Status::ok), "none");
}

}  // namespace
}  // namespace cli
