#include <gtest/gtest.h>

#include <cmath>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

/// Chunks that cost 100 ns each to begin and then come at 20 GB/s.
harness::Series chunked_series(std::vector<int64_t> sizes) {
  harness::Series series = test_curve("chunked_stream", "bytes", std::move(sizes), [](int64_t size) {
    return static_cast<double>(size) / (100 + static_cast<double>(size) / 20) * 1e9;
  });
  series.params["pool_bytes"] = int64_t{128} << 20;
  series.params["huge_bytes_granted"] = series.params["buffer_bytes"] = int64_t{128} << 20;
  return series;
}

TEST(derive_jumps, gives_the_cost_of_a_chunk_for_each_pool) {
  harness::Submission submission = test_submission();
  EXPECT_TRUE(derive(submission).jumps.empty());
  submission.launches[0].series.push_back(chunked_series({4096, 16384, 49152, 262144}));
  submission.launches[0].series.push_back(chunked_series({4096, 16384}));
  const auto jumps = derive(submission).jumps;
  ASSERT_EQ(jumps.size(), 2U);
  EXPECT_EQ(jumps[0].pool_bytes, 128 << 20);
  EXPECT_EQ(jumps[0].page_bytes, 2 << 20);
  EXPECT_NEAR(std::get<harness::Interval>(jumps[0].jump_ns).median, 100, 0.5);
  EXPECT_NEAR(std::get<harness::Interval>(jumps[0].read_bytes_per_s).median, 20e9, 1e8);
  EXPECT_LT(std::get<double>(jumps[0].misfit_ratio), 0.01);
  EXPECT_FALSE(harness::available(jumps[1].jump_ns));
}

TEST(derive_jumps, leaves_out_series_that_are_not_ok_or_of_other_probes_or_purposes) {
  harness::Submission submission = test_submission();
  auto failed = chunked_series({4096, 16384, 49152});
  failed.status = harness::Status::failed;
  auto other = chunked_series({4096, 16384, 49152});
  other.probe = "load_bandwidth_of_chunks";
  submission.launches[0].series.push_back(failed);
  submission.launches[0].series.push_back(other);
  submission.launches.back().series.push_back(chunked_series({4096, 16384, 49152}));
  ASSERT_NE(submission.launches.back().purpose, "probes");
  EXPECT_TRUE(derive(submission).jumps.empty());
}

}  // namespace
}  // namespace analysis
