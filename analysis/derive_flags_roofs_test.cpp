#include <gtest/gtest.h>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

using Codes = std::vector<std::string>;

Codes codes(const harness::Submission& submission) {
  Codes all;
  for (const harness::Flag& flag : derive(submission).flags) all.push_back(flag.code);
  return all;
}

/// Barriers of so many threads that took so long.
harness::Series barriers_of(int64_t threads, int64_t ns) {
  harness::Series series;
  series.probe = "barrier";
  series.work_unit = "barriers";
  series.params["threads"] = threads;
  series.sizes_bytes = {128, 1024};
  series.work_per_sample = {1000, 1000};
  series.samples_by_size = {{1000 * ns, 1010 * ns, 990 * ns}, {5000 * ns, 5000 * ns, 5000 * ns}};
  return series;
}

TEST(derive_flags, cores_whose_barriers_took_twice_as_long_later_have_moved) {
  const auto with = [](int64_t before_ns, int64_t after_ns, int64_t threads) {
    auto submission = test_submission();
    submission.launches.front().series.push_back(barriers_of(threads, before_ns));
    submission.launches.back().series.push_back(barriers_of(threads, after_ns));
    return submission;
  };
  ASSERT_EQ(test_submission().launches.front().purpose, "probes");
  EXPECT_EQ(codes(with(66, 120, 2)), Codes{});
  EXPECT_EQ(codes(with(66, 370, 2)), Codes{"cores_moved"});
  EXPECT_EQ(codes(with(66, 370, 1)), Codes{}) << "the control";
  const auto flags = derive(with(370, 66, 2)).flags;
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_NEAR(flags[0].value, 66.0 / 370, 1e-6);
  EXPECT_EQ(flags[0].detail.rfind("2 threads waited 370 ns for each other in the probes and 66 ns later", 0),
            0u);
}

}  // namespace
}  // namespace analysis
