#include "harness/cli/capacity_table.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

constexpr double mib = 1 << 20;

harness::CacheEstimate estimate(const std::string& retouch, harness::Reading<harness::Interval> effective) {
  return {"l3", "uniform", 32 << 20, std::move(effective), "cache_capacity: a change-point", retouch};
}

const std::string stream = "cyclic stream", chase = "random chase, refreshed before each sample";

TEST(capacity_table, puts_what_is_told_and_both_answers_side_by_side) {
  harness::Derived derived;
  derived.caches = {estimate(stream, harness::Interval{30 * mib, 20 * mib, 40 * mib}),
                    estimate(chase, harness::Interval{27 * mib, 9 * mib, 91 * mib})};
  EXPECT_EQ(capacities_text(Terminal{}, derived),
            "cache_capacity\n"
            "cache    told          by stream [95 %]  by refreshed chase [95 %]\n"
            "l3     32 MiB  30 MiB [20 MiB - 40 MiB]    27 MiB [9 MiB - 91 MiB]\n\n");
}

TEST(capacity_table, shows_how_long_lines_last_beside_what_a_cache_holds) {
  harness::Derived derived;
  derived.caches = {estimate(stream, harness::Interval{30 * mib, 20 * mib, 40 * mib}),
                    estimate(chase, harness::Interval{27 * mib, 9 * mib, 91 * mib})};
  harness::RetentionEstimate lines;
  lines.level = "l3";
  lines.method = "retention: lines seen by timed loads";
  lines.half_life_ns = harness::Interval{3.8e6, 3.2e6, 4.4e6};
  harness::RetentionEstimate laps = lines;
  laps.method = "retention: time of a re-read";
  laps.half_life_ns = harness::Interval{9e6, 8e6, 10e6};
  derived.retention = {laps, lines};
  EXPECT_NE(capacities_text(Terminal{}, derived).find("  3.8 ms [3.2 - 4.4]\n"), std::string::npos)
      << capacities_text(Terminal{}, derived);
  derived.retention[1].half_life_ns = harness::Unavailable{"longer than 100.0 ms"};
  derived.retention[1].longer_than_ns = 100e6;
  EXPECT_NE(capacities_text(Terminal{}, derived).find("  > 100.0 ms\n"), std::string::npos);
}

TEST(capacity_table, says_why_an_answer_is_missing) {
  harness::Derived derived;
  derived.caches = {estimate(stream, harness::Unavailable{"the curve is flat"}),
                    estimate(chase, harness::Interval{27 * mib, 9 * mib, 91 * mib})};
  const std::string text = capacities_text(Terminal{}, derived);
  EXPECT_NE(text.find("cannot tell"), std::string::npos) << text;
  EXPECT_NE(text.find("l3: the curve is flat\n"), std::string::npos) << text;
}

TEST(capacity_table, two_methods_that_exclude_each_other_are_a_finding) {
  harness::Derived derived;
  derived.caches = {estimate(stream, harness::Interval{90 * mib, 80 * mib, 100 * mib}),
                    estimate(chase, harness::Interval{10 * mib, 9 * mib, 12 * mib})};
  EXPECT_NE(capacities_text(Terminal{}, derived).find("stream and chase disagree"), std::string::npos);
  derived.caches[1].effective_bytes = harness::Interval{70 * mib, 60 * mib, 81 * mib};
  EXPECT_EQ(capacities_text(Terminal{}, derived).find("disagree"), std::string::npos);
}

TEST(capacity_table, of_a_machine_that_tells_of_no_caches_says_so) {
  EXPECT_EQ(capacities_text(Terminal{}, {}),
            "cache_capacity: unavailable: the system tells of no caches\n\n");
}

}  // namespace
}  // namespace cli
