#include "analysis/shared_cache.hpp"

#include <gtest/gtest.h>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

constexpr size_t evict_read = 3;  // of the arms of a test submission

std::optional<harness::Flag> found_in(const harness::Submission& submission) {
  std::vector<harness::Flag> flags;
  flag_cache_not_shared(submission, flags);
  return flags.empty() ? std::nullopt : std::optional(flags.front());
}

harness::Series& reader_of(harness::Submission& submission, size_t launch) {
  return submission.launches[launch].series[evict_read];
}

/// Memory answers in 120 ns, and the reader's handovers take so long in every launch.
harness::Submission beside_a_reader(const std::string& handovers) {
  harness::Submission submission = test_submission();
  auto& series = submission.launches[0].series;
  const auto latency = std::find_if(series.begin(), series.end(),
                                    [](const auto& each) { return each.probe == "load_latency"; });
  if (latency != series.end()) series.erase(latency);
  series.push_back(test_curve("load_latency", "loads", {24 << 10, 256 << 20},
                              [](int64_t size) { return size < (1 << 20) ? 1e9 : 1e9 / 120; }));
  for (size_t launch = 1; launch <= 5; ++launch) {
    reader_of(submission, launch).placement = "same_llc";
    if (!handovers.empty()) reader_of(submission, launch).params["handovers_ns"] = handovers;
  }
  return submission;
}

TEST(shared_cache, is_doubted_where_a_line_takes_longer_than_memory) {
  const auto flag = found_in(beside_a_reader("33 34 185 36"));
  ASSERT_TRUE(flag);
  EXPECT_EQ(flag->code, "cache_not_shared");
  EXPECT_EQ(flag->value, 1);
  EXPECT_NE(flag->detail.find("evict_read: no shared cache"), std::string::npos) << flag->detail;
  EXPECT_NE(flag->detail.find("in 5 of 5 launches"), std::string::npos) << flag->detail;
  EXPECT_NE(flag->detail.find("185 ns between both PUs, memory takes 120"), std::string::npos)
      << flag->detail;
  auto one = beside_a_reader("33 34 35 36");
  reader_of(one, 2).params["handovers_ns"] = std::string("33 121");
  EXPECT_DOUBLE_EQ(found_in(one)->value, 0.2);
}

TEST(shared_cache, is_believed_where_lines_come_as_fast_as_from_a_cache_or_nobody_looked) {
  EXPECT_FALSE(found_in(beside_a_reader("33 34 120 36")));
  EXPECT_FALSE(found_in(beside_a_reader("")));
  auto elsewhere = beside_a_reader("185 185 185 185");
  for (size_t launch = 1; launch <= 5; ++launch) reader_of(elsewhere, launch).placement = "other_llc";
  EXPECT_FALSE(found_in(elsewhere)) << "nobody says that it shares one";
}

TEST(shared_cache, can_not_be_judged_without_the_latency_of_memory) {
  auto submission = beside_a_reader("185 185");
  submission.launches[0].series.back().sizes_bytes.back() = 33 << 20;  // of a last cache of 32 MiB
  EXPECT_FALSE(memory_latency_ns(submission));
  EXPECT_FALSE(found_in(submission));
}

TEST(shared_cache, reads_only_whole_lists) {
  harness::Series series;
  EXPECT_TRUE(handovers_ns(series).empty());
  series.params["handovers_ns"] = std::string("12 345 6");
  EXPECT_EQ(handovers_ns(series), (std::vector<double>{12, 345, 6}));
  for (const char* broken : {"", "12 x", "-3", "0", "1e9", "99999999999999999999"}) {
    series.params["handovers_ns"] = std::string(broken);
    EXPECT_TRUE(handovers_ns(series).empty()) << broken;
  }
  series.params["handovers_ns"] = int64_t{12};
  EXPECT_TRUE(handovers_ns(series).empty());
}

TEST(shared_cache, that_was_not_shared_lets_nobody_say_what_a_reader_costs) {
  auto submission = beside_a_reader("185 185 185 185");
  const auto flags = derive(submission).flags;
  EXPECT_EQ(std::count_if(flags.begin(), flags.end(),
                          [](const auto& flag) { return flag.code == "cache_not_shared"; }),
            1);
}

}  // namespace
}  // namespace analysis
