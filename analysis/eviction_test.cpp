#include "analysis/eviction.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/derive.hpp"
#include "analysis/test_submission.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {
namespace {

constexpr int64_t mib = int64_t{1} << 20;

/// A curve recorded on a machine with 1 MiB of L2 and 32 MiB of L3 (medians, ns): cold from 128 MiB on.
harness::Series recorded_probe() {
  harness::Series series;
  series.probe = "eviction";
  series.work_unit = "bytes";
  series.params = {{"warm_lap_ns", int64_t{18568}},        {"warm_lap_low_ns", int64_t{18027}},
                   {"warm_lap_high_ns", int64_t{19249}},   {"flushed_lap_ns", int64_t{49324}},
                   {"flushed_lap_low_ns", int64_t{48963}}, {"flushed_lap_high_ns", int64_t{49544}}};
  series.sizes_bytes = {16 * mib, 32 * mib, 64 * mib, 128 * mib, 256 * mib};
  series.work_per_sample.assign(5, 2 * mib);
  series.samples_by_size = {{22203}, {28032}, {32169}, {50816}, {51207}};
  return series;
}

harness::Submission with_probe(const harness::Series& series) {
  auto made = test_submission();
  made.launches.front().series.push_back(series);
  return made;
}

TEST(EvictionVerdict, recomputes_the_cold_size_from_the_laps) {
  auto series = recorded_probe();
  EXPECT_EQ(std::get<int64_t>(cold_bytes(with_probe(series))), 128 * mib);
  series.params["cold_bytes"] = int64_t{16} * mib;  // what a document states is not asked
  EXPECT_EQ(std::get<int64_t>(cold_bytes(with_probe(series))), 128 * mib);
  series.samples_by_size[4] = {30'000};
  EXPECT_FALSE(available(cold_bytes(with_probe(series))));
}

/// Laps over a set of 512 small pages: after each size 48 µs flushed, and longer after the stream.
harness::Series small_pages(int64_t longer_ns) {
  harness::Series series;
  series.probe = "eviction_small_pages";
  series.work_unit = "bytes";
  for (int streamed = 0; streamed < 2; ++streamed) {
    for (int size = 0; size < 5; ++size) {
      series.sizes_bytes.push_back(16 * mib << size);
      // What did not evict says nothing.
      series.samples_by_size.push_back({48'000 + streamed * (size < 3 ? -30'000 : longer_ns)});
    }
  }
  series.work_per_sample.assign(10, 2 * mib);
  return series;
}

TEST(PageWalk, is_what_a_set_on_small_pages_takes_longer_after_a_stream_than_after_a_flush) {
  auto made = with_probe(recorded_probe());
  EXPECT_EQ(page_walk_s(made), 0) << "older documents do not tell";
  made.launches.front().series.push_back(small_pages(5'120));
  EXPECT_NEAR(page_walk_s(made), 10e-9, 1e-15);  // 5,120 ns of 512 pages
  made.launches.front().series.back() = small_pages(-1'000);
  EXPECT_EQ(page_walk_s(made), 0);
  EXPECT_EQ(page_walk_s(with_probe(small_pages(5'120))), 0) << "nothing was seen to be evicted";
}

/// The laps that gave the references of recorded_probe().
harness::Series recorded_references() {
  harness::Series series;
  series.probe = "eviction_references";
  series.work_unit = "bytes";
  for (int flushed = 0; flushed < 2; ++flushed) {
    for (int size = 0; size < 5; ++size) {
      series.sizes_bytes.push_back(16 * mib << size);
      series.samples_by_size.push_back({flushed == 0 ? 18'000 + 300 * size : 48'963 + 150 * size});
    }
  }
  series.work_per_sample.assign(10, 2 * mib);
  return series;
}

TEST(EvictionVerdict, recomputes_the_references_from_their_laps) {
  auto made = with_probe(recorded_probe());
  made.launches.front().series.push_back(recorded_references());
  auto& params = made.launches.front().series[made.launches.front().series.size() - 2].params;
  EXPECT_EQ(std::get<int64_t>(cold_bytes(made)), 128 * mib);
  for (const char* name : {"flushed_lap_ns", "flushed_lap_low_ns", "flushed_lap_high_ns"})
    params[name] = int64_t{22'000};  // a forged reference makes every lap look cold
  EXPECT_EQ(std::get<int64_t>(cold_bytes(made)), 128 * mib) << "what a document states is not asked";
  made.launches.front().series.pop_back();
  EXPECT_EQ(std::get<int64_t>(cold_bytes(made)), 16 * mib) << "of documents without laps it is all there is";
}

TEST(EvictionVerdict, lines_still_cached_make_a_cold_lap_warm) {
  auto series = recorded_probe();
  series.params.merge(harness::calibration_params({150, 128, 0, 64, 0}));
  for (int i = 0; i < 5; ++i) {
    series.params["lines_" + std::to_string(i)] = int64_t{160};
    series.params["resident_lines_" + std::to_string(i)] = int64_t{i < 4 ? 60 : 0};
  }
  EXPECT_EQ(std::get<int64_t>(cold_bytes(with_probe(series))), 256 * mib) << "128 MiB leave 38 of 100";
  series.params["resident_lines_4"] = int64_t{161};  // more than were looked at: no proof
  EXPECT_FALSE(available(cold_bytes(with_probe(series))));
}

TEST(EvictionVerdict, an_arm_streams_one_size_more_than_what_was_cold) {
  EXPECT_EQ(std::get<int64_t>(bytes_to_stream(with_probe(recorded_probe()))), 256 * mib);
  auto series = recorded_probe();
  series.samples_by_size[3] = {30'000};
  EXPECT_EQ(std::get<int64_t>(bytes_to_stream(with_probe(series))), 256 * mib) << "the largest itself";
  EXPECT_FALSE(available(bytes_to_stream(test_submission())));
}

TEST(EvictionVerdict, has_no_cold_size_without_the_probe_or_its_references) {
  const auto missing = cold_bytes(test_submission());
  ASSERT_FALSE(available(missing));
  EXPECT_EQ(std::get<harness::Unavailable>(missing).reason, "eviction has not run");
  auto series = recorded_probe();
  series.params.erase("warm_lap_ns");
  EXPECT_FALSE(available(cold_bytes(with_probe(series))));
  series = recorded_probe();
  series.status = harness::Status::unavailable;
  series.reason = "no flush";
  EXPECT_EQ(std::get<harness::Unavailable>(cold_bytes(with_probe(series))).reason, "eviction: no flush");
}

TEST(EvictionVerdict, without_evidence_a_stream_is_verified_when_it_reads_what_was_seen_to_evict) {
  auto made = with_probe(recorded_probe());
  auto& bytes = made.plans[0].evict_stream_bytes;
  for (const auto& [streamed, verified] :
       {std::pair{0 * mib, false}, {64 * mib, false}, {128 * mib, true}, {512 * mib, true}}) {
    bytes = streamed;
    EXPECT_EQ(std::get<bool>(eviction_verdict(made, 0, "evict_stream", "evict_stream")), verified)
        << streamed;
  }
  EXPECT_FALSE(available(eviction_verdict(test_submission(), 0, "evict_stream", "evict_stream")));
}

TEST(EvictionVerdict, other_modes_are_not_judged) {
  const auto made = with_probe(recorded_probe());
  for (const char* mode : {"warm", "evict_flush", "evict_read", "evict_write"})
    EXPECT_FALSE(available(eviction_verdict(made, 0, mode, mode))) << mode;
}

/// Gives the arm of every launch the numbers of a check that saw `resident` of 256 lines.
void add_evidence(harness::Submission& made, const std::string& arm, int64_t resident) {
  harness::EvictionEvidence evidence;
  evidence.lap_bytes = 1'900'000;
  evidence.laps.assign(4, {18'000, 48'000, 50'000});
  evidence.calibration = harness::ResidencyCalibration{150, 128, 0, 64, 0};
  evidence.looks.assign(4, {64, resident / 4});
  harness::sum_up(evidence);
  for (auto& launch : made.launches) {
    for (auto& series : launch.series) {
      if (series.arm == arm) series.params = harness::evidence_params(evidence);
    }
  }
}

const harness::DecodeResult* result_of(const harness::Submission& made, const std::string& arm) {
  for (const auto& result : made.derived.decode) {
    if (result.arm == arm) return &result;
  }
  return nullptr;
}

TEST(EvictionVerdict, is_recomputed_from_the_numbers_beside_the_samples) {
  auto made = test_submission();
  add_evidence(made, "evict_flush", 0);
  made.derived = derive(made);
  ASSERT_NE(result_of(made, "evict_flush"), nullptr);
  EXPECT_TRUE(std::get<bool>(result_of(made, "evict_flush")->evicted_verified));
  EXPECT_FALSE(available(result_of(made, "warm")->evicted_verified));
}

TEST(EvictionVerdict, numbers_that_say_warm_make_no_speed_whatever_the_status_says) {
  auto made = test_submission();
  add_evidence(made, "evict_flush", 120);
  made.derived = derive(made);
  EXPECT_EQ(result_of(made, "evict_flush"), nullptr);
  const auto flag = std::find_if(made.derived.flags.begin(), made.derived.flags.end(),
                                 [](const auto& each) { return each.code == "not_evicted"; });
  ASSERT_NE(flag, made.derived.flags.end());
  EXPECT_NE(flag->detail.find("47 %"), std::string::npos) << flag->detail;
  EXPECT_EQ(flag->value, 5);
}

TEST(EvictionVerdict, counted_misses_that_contradict_the_timed_lines_are_flagged) {
  auto made = test_submission();
  add_evidence(made, "evict_flush", 0);
  const auto flagged = [&](int64_t misses) {
    auto counted = made;
    counted.launches[1].series[2].params["check_counted_misses"] = misses;
    counted.launches[1].series[2].params["check_counted_lines"] = int64_t{1000};
    EXPECT_EQ(counted.launches[1].series[2].arm, "evict_flush");
    const auto flags = derive(counted).flags;
    return std::any_of(flags.begin(), flags.end(),
                       [](const auto& each) { return each.code == "counters_disagree"; });
  };
  EXPECT_FALSE(flagged(950));
  EXPECT_FALSE(flagged(1400));
  EXPECT_TRUE(flagged(600));
}

/// A run whose second plan times single positions with and without evict_stream.
harness::Submission with_stream_plan(bool evicts) {
  auto made = with_probe(recorded_probe());
  auto plan = made.plans[0];
  plan.positions = {100, 300, 500};
  plan.position_first = 100;
  plan.position_last = 500;
  plan.block_tokens = 1;
  plan.samples_per_arm = 6;
  plan.arms = {"warm", "aa", "evict_stream"};
  plan.evict_stream_bytes = evicts ? 128 * mib : 0;
  made.plans.push_back(plan);
  for (int round = 0; round < 3; ++round) {
    harness::Launch launch;
    launch.purpose = "decode";
    launch.plan = 1;
    launch.round = round;
    launch.golden_got = plan.golden;
    for (const auto& arm : plan.arms) {
      harness::Series series;
      series.probe = "decode";
      series.model = plan.model;
      series.arm = arm;
      series.mode = arm == "aa" ? "warm" : arm;
      series.placement = "none";
      const int64_t token_ns = (arm == "evict_stream" ? 400'000 : 100'000) + round * 100;
      series.samples = {token_ns, token_ns + 10, token_ns + 20, token_ns - 10, token_ns - 20, token_ns + 5};
      if (arm == "evict_stream" && !evicts) {
        series.status = harness::Status::failed;
        series.reason = "not_evicted: no amount is known";
        series.samples.clear();
      }
      launch.series.push_back(series);
    }
    made.launches.push_back(launch);
  }
  made.derived = derive(made);
  return made;
}

bool has_flag(const harness::Submission& made, const std::string& code) {
  for (const auto& flag : made.derived.flags) {
    if (flag.code == code) return true;
  }
  return false;
}

TEST(EvictionVerdict, a_plan_of_single_positions_is_compared_with_its_own_warm_arm_alone) {
  const auto made = with_stream_plan(true);
  int ratios = 0, results = 0;
  for (const auto& ratio : made.derived.ratios) {
    if (ratio.name != "evict_stream/warm") continue;
    ++ratios;
    EXPECT_NEAR(ratio.speed_ratio.median, 0.25, 0.001);
    EXPECT_EQ(ratio.key.position_first, 100);
  }
  EXPECT_EQ(ratios, 1);
  for (const auto& result : made.derived.decode) {
    if (result.key.position_first != 100) continue;
    ++results;
    if (result.key.mode == "evict_stream") {
      EXPECT_TRUE(std::get<bool>(result.evicted_verified));
      EXPECT_NEAR(result.tokens_per_s.median, 2500, 5);
    } else {
      EXPECT_NEAR(result.tokens_per_s.median, 10'000, 20);  // tokens of the list, not of its range
    }
  }
  EXPECT_EQ(results, 3);
  EXPECT_FALSE(has_flag(made, "not_evicted"));
}

TEST(EvictionVerdict, an_arm_that_nothing_evicts_is_flagged_and_its_launches_do_not_count_as_failed) {
  const auto made = with_stream_plan(false);
  EXPECT_TRUE(has_flag(made, "not_evicted"));
  EXPECT_FALSE(has_flag(made, "launch_failed"));
  for (const auto& result : made.derived.decode) EXPECT_NE(result.key.mode, "evict_stream");
  auto wrong = made;
  wrong.launches.back().series[0].status = harness::Status::failed;
  wrong.launches.back().series[0].reason = "wrong logits";
  wrong.derived = derive(wrong);
  EXPECT_TRUE(has_flag(wrong, "launch_failed"));
}

}  // namespace
}  // namespace analysis
