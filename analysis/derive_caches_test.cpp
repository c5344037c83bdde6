#include <gtest/gtest.h>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

using harness::CacheEstimate;
using harness::Interval;

constexpr double kib = 1024, mib = 1024 * kib;

const CacheEstimate& estimate_of(const std::vector<CacheEstimate>& all, const std::string& level,
                                 const std::string& probe) {
  for (const auto& estimate : all) {
    if (estimate.level == level && estimate.method == "cache_capacity: change-point of " + probe)
      return estimate;
  }
  throw std::out_of_range(level + " " + probe);
}

Interval edge(const std::vector<CacheEstimate>& all, const std::string& level, const std::string& probe) {
  return std::get<Interval>(estimate_of(all, level, probe).effective_bytes);
}

std::string reason(const CacheEstimate& estimate) {
  const auto* why = std::get_if<harness::Unavailable>(&estimate.effective_bytes);
  return why ? why->reason : "available";
}

TEST(derive_caches, finds_each_reported_cache_by_both_curves) {
  const auto caches = derive(test_submission()).caches;
  ASSERT_EQ(caches.size(), 6u);
  for (const char* probe : {"load_bandwidth", "load_latency"}) {
    // The invented machine is at full rate up to each size, and the next size measured is 4/3 or 3/2 of it.
    EXPECT_EQ(edge(caches, "l1", probe).low, 48 * kib);
    EXPECT_EQ(edge(caches, "l1", probe).high, 64 * kib);
    EXPECT_EQ(edge(caches, "l2", probe).low, mib);
    EXPECT_EQ(edge(caches, "l2", probe).high, 1.5 * mib);
    EXPECT_EQ(edge(caches, "l3", probe).low, 32 * mib);
    EXPECT_EQ(edge(caches, "l3", probe).high, 48 * mib);
    EXPECT_GT(edge(caches, "l3", probe).median, 32 * mib);
    EXPECT_LT(edge(caches, "l3", probe).median, 48 * mib);
  }
  EXPECT_EQ(caches[0].reported_bytes, 48 << 10);
  EXPECT_EQ(caches[0].core_kind, "uniform");
  EXPECT_EQ(caches[0].retouch, "cyclic stream");
  EXPECT_EQ(caches[1].retouch, "random chase, refreshed before each sample");
}

TEST(derive_caches, says_how_long_a_line_was_left_alone_at_the_estimate) {
  const auto caches = derive(test_submission()).caches;
  const auto& by_stream = estimate_of(caches, "l3", "load_bandwidth");
  const auto& by_chase = estimate_of(caches, "l3", "load_latency");
  ASSERT_TRUE(by_stream.retouch_ns && by_chase.retouch_ns);
  // Between 32 MiB at 40 GB/s (0.84 ms) and 48 MiB at 10 GB/s (5 ms).
  EXPECT_GT(*by_stream.retouch_ns, 0.84e6);
  EXPECT_LT(*by_stream.retouch_ns, 5.1e6);
  EXPECT_NEAR(*by_chase.retouch_ns - *by_stream.retouch_ns, test_sample_ns, 0.5e6) << "a lap, and the sample";
  auto submission = test_submission();
  submission.launches[0].series[0].status = harness::Status::failed;
  EXPECT_FALSE(estimate_of(derive_caches(submission), "l3", "load_latency").retouch_ns);
}

TEST(derive_caches, measures_what_is_there_and_not_what_is_reported) {
  auto submission = test_submission();
  submission.machine.caches[1].bytes = 2 << 20;
  const auto caches = derive_caches(submission);
  EXPECT_EQ(estimate_of(caches, "l2", "load_bandwidth").reported_bytes, 2 << 20);
  EXPECT_EQ(edge(caches, "l2", "load_bandwidth").low, mib);
  EXPECT_EQ(edge(caches, "l2", "load_bandwidth").high, 1.5 * mib);
}

TEST(derive_caches, an_edge_beyond_four_times_the_reported_size_is_not_that_cache) {
  auto submission = test_submission();
  submission.machine.caches[2].bytes = 300 << 20;
  EXPECT_EQ(reason(estimate_of(derive_caches(submission), "l3", "load_bandwidth")),
            "load_bandwidth shows no edge within a quarter and four times the reported size");
  submission.machine.caches[2].bytes = 100 << 20;
  EXPECT_EQ(reason(estimate_of(derive_caches(submission), "l3", "load_bandwidth")), "available");
}

TEST(derive_caches, no_edge_is_given_to_two_levels) {
  TestRun run;
  run.l2_bytes = 128 << 10;
  run.l2_bytes_per_s = run.l1_bytes_per_s;  // no step between them: the only edge is that of L2
  const auto caches = derive_caches(test_submission(run));
  EXPECT_EQ(edge(caches, "l2", "load_bandwidth").low, 128 * kib);
  EXPECT_NE(reason(estimate_of(caches, "l1", "load_bandwidth")), "available");
}

TEST(derive_caches, leaves_out_levels_that_are_not_reported) {
  TestRun run;
  run.l3_bytes = 0;
  const auto caches = derive_caches(test_submission(run));
  ASSERT_EQ(caches.size(), 4u);
  EXPECT_EQ(edge(caches, "l2", "load_latency").low, mib);
}

TEST(derive_caches, says_why_a_curve_gives_none) {
  auto submission = test_submission();
  auto& series = submission.launches[0].series;
  ASSERT_EQ(series[0].probe, "load_bandwidth");
  series[0].samples_by_size.assign(series[0].sizes_bytes.size(), std::vector<int64_t>(5, 1'000'000));
  series[0].work_per_sample.assign(series[0].sizes_bytes.size(), 1'000'000);
  EXPECT_EQ(reason(derive_caches(submission)[0]), "load_bandwidth: the curve is flat");
  EXPECT_EQ(reason(derive_caches(submission)[1]), "available");
  series[0].samples_by_size[3][1] = 0;
  EXPECT_EQ(reason(derive_caches(submission)[0]), "load_bandwidth: a sample of 0 ns at 12288 bytes");
  series[0].status = harness::Status::failed;
  series[0].reason = "wrong checksum";
  EXPECT_EQ(reason(derive_caches(submission)[0]), "load_bandwidth: wrong checksum");
  submission.launches[0].purpose = "roofs_after";
  for (const auto& estimate : derive_caches(submission)) {
    EXPECT_NE(reason(estimate).find("has not run"), std::string::npos);
  }
}

}  // namespace
}  // namespace analysis
