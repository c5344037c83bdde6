#include "analysis/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

bool has_flag(const harness::Submission& made, const std::string& code) {
  const auto flags = derive(made).flags;
  return std::any_of(flags.begin(), flags.end(), [&](const auto& flag) { return flag.code == code; });
}

/// The built submission, whose decode series all have a param.
harness::Submission with_param(const std::string& param, double value) {
  auto made = test_submission({});
  for (auto& launch : made.launches) {
    for (auto& series : launch.series) {
      if (series.probe == "decode") series.params[param] = value;
    }
  }
  return made;
}

TEST(team, pus_that_slow_each_other_down_are_flagged) {
  EXPECT_TRUE(has_flag(with_param("together_clock_ratio", 0.94), "cores_shared"));
  EXPECT_FALSE(has_flag(with_param("together_clock_ratio", 0.96), "cores_shared"));
  EXPECT_FALSE(has_flag(test_submission({}), "cores_shared"));
  EXPECT_FALSE(together_clock_ratio(test_submission({})));
}

TEST(team, a_falling_clock_is_told_from_a_shared_core_where_it_is_known) {
  const auto why = [](double together, double clock_ratio) {
    auto made = with_param("together_clock_ratio", together);
    for (auto& launch : made.launches) {
      for (auto& series : launch.series) series.params["together_hz_ratio"] = clock_ratio;
    }
    for (const auto& flag : derive(made).flags) {
      if (flag.code == "cores_shared") return flag.detail;
    }
    return std::string();
  };
  EXPECT_NE(why(0.9, 0.9).find("which is all of it"), std::string::npos) << why(0.9, 0.9);
  EXPECT_NE(why(0.5, 1.0).find("their clock stays"), std::string::npos) << why(0.5, 1.0);
  EXPECT_NE(why(0.5, 0.9).find("not cores of their own either"), std::string::npos) << why(0.5, 0.9);
  EXPECT_NE(why(0.9, 0).find("cannot be measured"), std::string::npos) << why(0.9, 0);
}

TEST(team, a_ratio_of_exactly_one_is_a_number_after_a_round_trip) {
  const auto made =
      harness::submission_from_json(harness::to_canonical_json(with_param("together_clock_ratio", 1.0)));
  EXPECT_EQ(together_clock_ratio(made), 1.0);
}

TEST(team, a_thread_without_its_pu_is_flagged_however_rare) {
  auto made = with_param("least_thread_cpu_ratio", 1.0);
  EXPECT_FALSE(has_flag(made, "thread_starved"));
  made.launches[2].series[0].params["least_thread_cpu_ratio"] = 0.5;
  EXPECT_TRUE(has_flag(made, "thread_starved"));
}

TEST(team, ratios_of_threads_and_of_pages_are_named) {
  for (const bool pages : {false, true}) {
    auto made = test_submission({});
    made.plans.push_back(made.plans[0]);
    if (pages) {
      made.plans[0].page_bytes = 2 << 20;
    } else {
      made.plans[0].threads = 2;
    }
    const auto launches = made.launches;
    for (auto launch : launches) {
      if (launch.purpose != "decode") continue;
      launch.plan = 1;
      for (auto& series : launch.series) {
        for (int64_t& ns : series.samples) ns *= 2;
      }
      made.launches.push_back(launch);
    }
    const auto ratios = derive(made).ratios;
    const std::string name = pages ? "huge_pages/small_pages" : "2_threads/1_thread";
    const auto found =
        std::find_if(ratios.begin(), ratios.end(), [&](const auto& ratio) { return ratio.name == name; });
    ASSERT_NE(found, ratios.end()) << name;
    EXPECT_NEAR(found->speed_ratio.median, 2, 1e-6);
    // Two differences have no one name.
    made.plans[0].threads = 2;
    made.plans[0].page_bytes = 2 << 20;
    for (const auto& ratio : derive(made).ratios) EXPECT_NE(ratio.name, name);
  }
}

}  // namespace
}  // namespace analysis
