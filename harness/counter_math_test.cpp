#include "harness/counter_math.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(counter_math, a_count_is_kept_as_it_is) {
  EXPECT_EQ(std::get<int64_t>(checked_count("PAPI_TOT_CYC", 0)), 0);
  EXPECT_EQ(std::get<int64_t>(checked_count("PAPI_TOT_CYC", 1LL << 50)), int64_t{1} << 50);
}

TEST(counter_math, a_negative_count_is_unavailable_and_says_which) {
  const Reading<int64_t> reading = checked_count("PAPI_L3_TCM", -5);
  ASSERT_FALSE(available(reading));
  EXPECT_EQ(std::get<Unavailable>(reading).reason, "PAPI_L3_TCM came back as -5, which is no count");
}

TEST(counter_math, believable_counts_stay) {
  CounterValues values{{"PAPI_TOT_CYC", int64_t{100}}, {"PAPI_TOT_INS", int64_t{600}}};
  check_counts(values);
  EXPECT_TRUE(available(values["PAPI_TOT_CYC"]));
  EXPECT_TRUE(available(values["PAPI_TOT_INS"]));
}

TEST(counter_math, an_impossible_ipc_takes_both_counts_away_and_no_other) {
  CounterValues values{
      {"PAPI_TOT_CYC", int64_t{1}}, {"PAPI_TOT_INS", int64_t{928}}, {"tokens", int64_t{928}}};
  check_counts(values);
  EXPECT_FALSE(available(values["PAPI_TOT_CYC"]));
  EXPECT_FALSE(available(values["PAPI_TOT_INS"]));
  EXPECT_TRUE(available(values["tokens"]));
}

TEST(counter_math, instructions_without_cycles_are_impossible) {
  CounterValues values{{"PAPI_TOT_CYC", int64_t{0}}, {"PAPI_TOT_INS", int64_t{5}}};
  check_counts(values);
  EXPECT_FALSE(available(values["PAPI_TOT_CYC"]));
}

TEST(counter_math, more_misses_than_loads_are_impossible) {
  CounterValues values{{"PAPI_LD_INS", int64_t{1000}},
                       {"PAPI_L2_TCM", int64_t{1000}},
                       {"PAPI_L3_TCM", int64_t{1001}},
                       {"tokens", int64_t{5000}}};
  check_counts(values);
  EXPECT_TRUE(available(values["PAPI_L2_TCM"]));
  ASSERT_FALSE(available(values["PAPI_L3_TCM"]));
  EXPECT_EQ(std::get<Unavailable>(values["PAPI_L3_TCM"]).reason,
            "1001 misses are more than 1000 loads can make");
  EXPECT_TRUE(available(values["tokens"]));
  EXPECT_TRUE(available(values["PAPI_LD_INS"]));
}

TEST(counter_math, where_loads_are_not_counted_the_instructions_bound_the_misses) {
  CounterValues values{
      {"PAPI_TOT_INS", int64_t{100}}, {"PAPI_L3_TCM", int64_t{1600}}, {"PAPI_TLB_DM", int64_t{1601}}};
  check_counts(values);
  EXPECT_TRUE(available(values["PAPI_L3_TCM"]));
  EXPECT_FALSE(available(values["PAPI_TLB_DM"]));
  values = {{"PAPI_L3_TCM", int64_t{1600}}};
  check_counts(values);
  EXPECT_TRUE(available(values["PAPI_L3_TCM"])) << "with nothing to hold it against";
}

TEST(counter_math, what_is_unavailable_already_stays_with_its_reason) {
  CounterValues values{{"PAPI_TOT_CYC", Unavailable{"no PMU"}}, {"PAPI_TOT_INS", int64_t{5}}};
  check_counts(values);
  EXPECT_EQ(std::get<Unavailable>(values["PAPI_TOT_CYC"]).reason, "no PMU");
  EXPECT_TRUE(available(values["PAPI_TOT_INS"]));
}

TEST(counter_math, the_obstacle_is_told_in_a_few_words) {
  EXPECT_EQ(hardware_obstacle("Error libpfm4 no default PMU found", "4"), "no PMU driver");
  EXPECT_EQ(hardware_obstacle("Permission level does not permit operation", "4"), "perf_event_paranoid is 4");
  EXPECT_EQ(hardware_obstacle("Event does not exist", "2"), "Event does not exist");
  EXPECT_EQ(hardware_obstacle("Event does not exist", ""), "no perf events in this kernel");
  EXPECT_EQ(hardware_obstacle("", "-1"), "PAPI gives no reason");
  EXPECT_EQ(hardware_obstacle("PAPI cannot be initialised: x", "4"), "PAPI cannot be initialised: x")
      << "the kernel was not asked";
}

TEST(counter_math, misses_of_a_nearer_cache_do_not_stand_for_those_of_the_last) {
  const CounterValues both{{"PAPI_L2_TCM", int64_t{90}}, {"PAPI_L3_TCM", int64_t{70}}};
  EXPECT_EQ(last_level_misses(both, 3), 70);
  EXPECT_EQ(last_level_misses(both, 2), 90);
  EXPECT_EQ(last_level_misses({{"PAPI_L2_TCM", int64_t{90}}, {"PAPI_L3_TCM", Unavailable{"no"}}}, 3),
            std::nullopt);
  EXPECT_EQ(last_level_misses({{"hardware_events", Unavailable{"no PMU driver"}}}, 3), std::nullopt);
}

}  // namespace
}  // namespace harness
