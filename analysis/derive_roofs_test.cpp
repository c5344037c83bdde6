#include <gtest/gtest.h>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

using harness::Interval;
using harness::Status;

double read_rate(const harness::Roof& roof) {
  return std::get<Interval>(roof.read_bytes_per_s).median;
}
double latency(const harness::Roof& roof) {
  return std::get<Interval>(roof.load_latency_ns).median;
}
std::string reason(const harness::Reading<Interval>& reading) {
  return std::get<harness::Unavailable>(reading).reason;
}

TEST(derive_roofs, reads_each_level_far_from_its_edges) {
  const auto roofs = derive_roofs(test_submission(), "probes");
  ASSERT_EQ(roofs.size(), 4u);
  const char* levels[] = {"l1", "l2", "l3", "dram"};
  const double rates[] = {200e9, 100e9, 40e9, 10e9}, ns[] = {1, 2, 5, 20};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(roofs[i].level, levels[i]);
    EXPECT_NEAR(read_rate(roofs[i]), rates[i], 1);
    EXPECT_NEAR(latency(roofs[i]), ns[i], 1e-6);
    EXPECT_EQ(roofs[i].core_kind, "uniform");
  }
  EXPECT_EQ(roofs[0].size_bytes, 24 << 10);
  EXPECT_EQ(roofs[1].size_bytes, 227'023);    // √(48 KiB × 1 MiB)
  EXPECT_EQ(roofs[2].size_bytes, 5'931'642);  // √(1 MiB × 32 MiB)
  EXPECT_EQ(roofs[3].size_bytes, 256 << 20);
}

TEST(derive_roofs, states_huge_pages_only_when_they_were_granted) {
  auto submission = test_submission();
  EXPECT_EQ(derive_roofs(submission, "probes")[0].page_bytes, 4096);
  auto& params = submission.launches[0].series[0].params;
  params["buffer_bytes"] = int64_t{128 << 20};
  params["huge_bytes_granted"] = int64_t{128 << 20};
  EXPECT_EQ(derive_roofs(submission, "probes")[0].page_bytes, 2 << 20);
  params["huge_bytes_granted"] = int64_t{2 << 20};
  EXPECT_EQ(derive_roofs(submission, "probes")[0].page_bytes, 4096);
}

TEST(derive_roofs, of_several_page_sizes_the_largest_and_of_several_operations_the_read_is_taken) {
  auto submission = test_submission();
  auto& series = submission.launches[0].series;
  const auto add_faster = [&](const std::string& param, const harness::Param& value) {
    auto faster = series[0];
    for (auto& work : faster.work_per_sample) work *= 2;
    faster.params[param] = value;
    series.push_back(faster);
  };
  add_faster("operation", std::string("copy"));
  EXPECT_NEAR(read_rate(derive_roofs(submission, "probes")[0]), 200e9, 1);
  add_faster("page_bytes", int64_t{4096});
  EXPECT_NEAR(read_rate(derive_roofs(submission, "probes")[0]), 400e9, 1);
  add_faster("page_bytes", int64_t{1024});
  series.back().work_per_sample[0] = 1;
  EXPECT_NEAR(read_rate(derive_roofs(submission, "probes")[0]), 400e9, 1);
  EXPECT_EQ(derive_roofs(submission, "probes")[0].page_bytes, 4096);
}

TEST(derive_roofs, has_no_l3_roof_without_an_l3) {
  TestRun run;
  run.l3_bytes = 0;
  const auto roofs = derive_roofs(test_submission(run), "probes");
  EXPECT_EQ(reason(roofs[2].read_bytes_per_s), "this machine reports no L3 data cache");
  EXPECT_EQ(reason(roofs[2].load_latency_ns), "this machine reports no L3 data cache");
  EXPECT_EQ(roofs[2].size_bytes, 0);
  EXPECT_NEAR(read_rate(roofs[1]), 100e9, 1);
  EXPECT_NEAR(read_rate(roofs[3]), 10e9, 1);
}

TEST(derive_roofs, has_only_dram_without_any_cache) {
  TestRun run;
  run.l1_bytes = run.l2_bytes = run.l3_bytes = 0;
  const auto submission = test_submission(run);
  const auto roofs = derive_roofs(submission, "probes");
  for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(available(roofs[i].read_bytes_per_s));
  EXPECT_NEAR(read_rate(roofs[3]), 10e9, 1);
  EXPECT_NEAR(latency(roofs[3]), 20, 1e-6);
  EXPECT_TRUE(submission.derived.caches.empty());
}

TEST(derive_roofs, ignores_instruction_caches_and_caches_of_unknown_size) {
  auto submission = test_submission();
  submission.machine.caches[0].type = "instruction";
  submission.machine.caches[1].bytes = 0;
  const auto roofs = derive_roofs(submission, "probes");
  EXPECT_FALSE(available(roofs[0].read_bytes_per_s));
  EXPECT_FALSE(available(roofs[1].read_bytes_per_s));
  EXPECT_EQ(roofs[2].size_bytes, 16 << 20);  // no smaller cache is known: half of its own
}

TEST(derive_roofs, passes_on_why_a_probe_gave_nothing) {
  auto submission = test_submission();
  auto& bandwidth = submission.launches[0].series[0];
  bandwidth.status = Status::unavailable;
  bandwidth.reason = "not enough memory";
  EXPECT_EQ(reason(derive_roofs(submission, "probes")[0].read_bytes_per_s),
            "load_bandwidth: not enough memory");
  submission.launches[0].series.clear();
  const auto roofs = derive_roofs(submission, "probes");
  EXPECT_EQ(reason(roofs[0].read_bytes_per_s), "load_bandwidth has not run");
  EXPECT_EQ(reason(roofs[0].load_latency_ns), "load_latency has not run");
  EXPECT_EQ(reason(roofs[3].read_bytes_per_s), "dram_stream has not run");
  EXPECT_EQ(roofs[3].size_bytes, 0);
}

TEST(derive_roofs, a_failed_series_gives_no_roof_whatever_samples_it_holds) {
  auto submission = test_submission();
  submission.launches[0].series[0].status = Status::failed;
  submission.launches[0].series[0].reason = "wrong checksum";
  EXPECT_EQ(reason(derive_roofs(submission, "probes")[0].read_bytes_per_s), "load_bandwidth: wrong checksum");
}

TEST(derive_roofs, does_not_extend_a_curve_beyond_its_ends) {
  const auto roofs = derive_roofs(test_submission(), "roofs_after");
  EXPECT_EQ(reason(roofs[0].read_bytes_per_s),
            "the curve covers 1048576 to 16777216 bytes, this roof is read at 24576");
  EXPECT_NEAR(read_rate(roofs[2]), 40e9, 1);
}

TEST(derive_roofs, gives_no_memory_latency_from_a_chase_inside_the_cache) {
  auto submission = test_submission();
  submission.machine.caches[2].bytes = 65 << 20;  // the chase ends at 128 MiB
  EXPECT_FALSE(available(derive_roofs(submission, "probes")[3].load_latency_ns));
  submission.machine.caches[2].bytes = 64 << 20;
  EXPECT_TRUE(available(derive_roofs(submission, "probes")[3].load_latency_ns));
}

TEST(derive_roofs, what_several_threads_read_from_memory_is_a_roof_of_its_own) {
  auto submission = test_submission();
  auto team = test_curve("dram_stream", "bytes", {256 << 20}, [](int64_t) { return 31e9; });
  team.params["threads"] = int64_t{4};
  auto store = test_curve("dram_stream", "bytes", {256 << 20}, [](int64_t) { return 9e9; });
  store.params["threads"] = int64_t{8};
  store.params["operation"] = std::string("store");
  submission.launches[0].series.push_back(team);
  submission.launches[0].series.push_back(store);
  const auto roofs = derive_roofs(submission, "probes");
  ASSERT_EQ(roofs.size(), 5u);
  EXPECT_EQ(roofs[3].threads, 1);
  EXPECT_NEAR(read_rate(roofs[3]), read_rate(derive_roofs(test_submission(), "probes")[3]), 1);
  EXPECT_EQ(roofs[4].level, "dram");
  EXPECT_EQ(roofs[4].threads, 4);
  EXPECT_NEAR(read_rate(roofs[4]), 31e9, 1e3);
  EXPECT_FALSE(available(roofs[4].load_latency_ns));
}

TEST(derive_roofs, a_chase_within_windows_is_not_read_as_latency) {
  auto submission = test_submission();
  auto windowed = test_curve("load_latency", "loads", test_sizes(), [](int64_t) { return 1e9 / 77; });
  windowed.params["window_bytes"] = int64_t{65536};
  windowed.params["huge_bytes_granted"] = windowed.params["buffer_bytes"] = int64_t{128} << 20;
  submission.launches[0].series.push_back(windowed);
  EXPECT_NEAR(latency(derive_roofs(submission, "probes")[0]),
              latency(derive_roofs(test_submission(), "probes")[0]), 1e-9);
}

}  // namespace
}  // namespace analysis
