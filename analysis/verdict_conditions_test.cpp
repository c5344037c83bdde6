#include "analysis/verdict_conditions.hpp"

#include <gtest/gtest.h>

#include "analysis/test_claim.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

/// A run whose measuring thread had its PU for a share of the timed time.
harness::Submission with_share(double share) {
  TestRun run;
  run.launch_factors.assign(10, 1.0);
  harness::Submission made = test_submission(run);
  made.conditions.psi_cpu_some = 0.02;
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) {
      series.totals.wall_ns = 1'000'000;
      series.totals.cpu_ns = std::llround(share * 1e6);
    }
  }
  return made;
}

/// The only doubt; "" when there is none.
std::string doubt_of(const harness::Submission& submission, const Claim& claim = test_claim()) {
  const auto doubts = doubts_of_conditions(claim, submission);
  EXPECT_LE(doubts.size(), 1u);
  return doubts.empty() ? "" : doubts[0];
}

TEST(verdict_conditions, a_measuring_thread_that_shared_its_pu_leaves_a_doubt) {
  EXPECT_EQ(doubt_of(with_share(0.997)), "");
  EXPECT_EQ(doubt_of(with_share(0.951)), "");
  EXPECT_NE(doubt_of(with_share(0.94)).find("had it for 94 % of the timed time"), std::string::npos);
  EXPECT_NE(doubt_of(with_share(0.5)).find("something else ran on the measured PU"), std::string::npos);
}

TEST(verdict_conditions, tasks_that_waited_for_a_cpu_leave_a_doubt) {
  harness::Submission made = with_share(1);
  made.conditions.psi_cpu_some = 0.25;
  EXPECT_EQ(doubt_of(made), "");
  made.conditions.psi_cpu_some = 0.97;
  EXPECT_NE(doubt_of(made).find("in 97 % of the run"), std::string::npos);
  made.conditions.psi_cpu_some = harness::Unavailable{"no PSI"};  // what is not told is no doubt
  EXPECT_EQ(doubt_of(made), "");
}

TEST(verdict_conditions, a_starved_thread_of_a_team_leaves_a_doubt_where_it_is_the_rule) {
  const auto team = [](const std::vector<double>& shares) {
    harness::Submission made = with_share(1);
    size_t i = 0;
    for (harness::Launch& launch : made.launches) {
      if (launch.purpose != "decode") continue;
      for (harness::Series& series : launch.series)
        series.params["least_thread_cpu_ratio"] = shares[i++ % shares.size()];
    }
    return made;
  };
  EXPECT_EQ(doubt_of(team({0.99, 0.98, 0.6})), "");  // one of three launches
  EXPECT_NE(doubt_of(team({0.6, 0.7, 0.99})).find("a thread of the team"), std::string::npos);
}

TEST(verdict_conditions, figures_that_do_not_depend_on_time_are_not_doubted_for_load) {
  harness::Submission made = with_share(0.5);
  made.conditions.psi_cpu_some = 0.97;
  const Claim exact = test_claim([](nlohmann::json& c) { c["test"] = "exact"; });
  EXPECT_EQ(doubt_of(made, exact), "");
  EXPECT_EQ(doubts_of_conditions(test_claim(), made).size(), 2u);
}

TEST(verdict_conditions, probes_of_the_whole_run_and_not_of_its_rounds_decide_nothing) {
  harness::Submission made = with_share(1);
  for (harness::Launch& launch : made.launches) {
    if (launch.purpose == "decode") continue;
    for (harness::Series& series : launch.series) series.totals.cpu_ns = 1;
  }
  EXPECT_EQ(doubt_of(made), "");
}

}  // namespace
}  // namespace analysis
