#include "analysis/slowdown.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/slowdown_controls.hpp"
#include "analysis/test_submission.hpp"

namespace analysis {
namespace {

/// What each arm truly costs, as a ratio to warm. Arms that are not named do not run.
using Truth = std::map<std::string, double>;

constexpr double two_pi = 6.283185307179586;

/// Normal with standard deviation 1 (Box and Muller 1958).
double normal(harness::SplitMix64& random) {
  const double u = (static_cast<double>(random.next() >> 11) + 1) * 0x1p-53;
  const double v = static_cast<double>(random.next() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(two_pi * v);
}

struct Fake {
  harness::Submission submission;
  std::vector<ArmRecord> arms;
};

/// Launches of one plan in which every arm has its true cost, times noise of its own with standard deviation
/// `noise` on logarithms, times noise of the launch that all share.
Fake fake(const Truth& truth, uint64_t seed, double noise = 0.01, size_t launches = 10) {
  Fake made;
  harness::Plan plan;
  plan.weight_bytes_per_token = 2 << 20;
  made.submission.machine.caches = {test_cache(2, 1 << 20), test_cache(3, 32 << 20)};
  harness::SplitMix64 random(seed);
  std::vector<double> of_launch;
  for (size_t i = 0; i < launches; ++i) of_launch.push_back(std::exp(0.03 * normal(random)));
  Truth all = truth;
  all["warm"] = all["aa"] = 1;
  for (const auto& [arm, ratio] : all) {
    plan.arms.push_back(arm);
    ArmRecord record;
    record.arm = arm;
    record.key.mode = arm == "aa" ? "warm" : arm;
    for (size_t i = 0; i < launches; ++i) {
      ArmLaunch launch;
      launch.launch = i;
      launch.block_median_ns = 1e5 * ratio * of_launch[i] * std::exp(noise * normal(random));
      record.launches.push_back(launch);
    }
    made.arms.push_back(record);
  }
  made.submission.plans = {plan};
  return made;
}

std::map<std::string, harness::Slowdown> split(const Fake& made) {
  std::map<std::string, harness::Slowdown> by_arm;
  for (const auto& each : derive_slowdowns(made.submission, made.arms, derive_ratios(made.arms)))
    by_arm[each.arm] = each;
  return by_arm;
}

struct Words {
  std::string core_sharing, bandwidth, eviction;
  bool operator==(const Words&) const = default;
};

Words words(const harness::Slowdown& slowdown) {
  return {slowdown.core_sharing.word, slowdown.bandwidth.word, slowdown.eviction.word};
}

const std::string yes = "shown", no = "none_shown", unknown = "cannot_tell", alone = "not_applicable";
const Truth quiet{{"spin", 1},        {"own_l1", 1},      {"stream_llc", 1},
                  {"stream_dram", 1}, {"evict_flush", 2}, {"evict_read", 1}};

Truth with(const Truth& changes) {
  Truth truth = quiet;
  for (const auto& [arm, ratio] : changes) truth[arm] = ratio;
  return truth;
}

/// Returns how often `arm` gets exactly the right words, of the runs whose A/A control passes, and expects
/// that it fails no more often than it may by chance.
double share_right(const Truth& truth, const Words& right, double noise = 0.01,
                   const std::string& arm = "evict_read") {
  constexpr int runs = 400;
  int proven = 0, correct = 0;
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    const auto found = split(fake(truth, seed, noise)).at(arm);
    if (words(found) == Words{unknown, unknown, unknown}) continue;
    ++proven;
    correct += words(found) == right ? 1 : 0;
  }
  EXPECT_GE(proven, runs * 0.9);
  return static_cast<double>(correct) / proven;
}

TEST(slowdown, of_pure_eviction_is_called_eviction) {
  EXPECT_GE(share_right(with({{"evict_read", 1.15}, {"stream_dram", 1.2}}), {no, no, yes}), 0.95);
  EXPECT_GE(share_right(with({{"evict_read", 1.9}, {"stream_dram", 1.9}}), {no, no, yes}, 0.015), 0.95);
}

TEST(slowdown, of_pure_contention_is_called_bandwidth) {
  EXPECT_GE(share_right(with({{"stream_llc", 1.12}, {"evict_read", 1.12}}), {no, yes, no}), 0.95);
  // A stream that costs more than the arm would hide an eviction.
  EXPECT_GE(share_right(with({{"stream_llc", 1.5}, {"evict_read", 1.1}}), {no, yes, unknown}), 0.95);
}

TEST(slowdown, of_pure_core_sharing_is_called_that) {
  const Truth sibling = with({{"spin", 1.12}, {"own_l1", 1.12}, {"stream_llc", 1.12}, {"evict_read", 1.12}});
  EXPECT_GE(share_right(sibling, {yes, no, no}), 0.95);
  // A stalled reader asks less of the core than one that never waits, and more than a spinning thread.
  const Truth uneven = with({{"spin", 1.1}, {"own_l1", 1.4}, {"stream_llc", 1.13}, {"evict_read", 1.12}});
  EXPECT_GE(share_right(uneven, {yes, no, no}), 0.95);
}

TEST(slowdown, of_everything_at_once_is_called_all_three) {
  const Truth mixed = with({{"spin", 1.06},
                            {"own_l1", 1.06},
                            {"stream_llc", 1.06 * 1.1},
                            {"evict_read", 1.06 * 1.1 * 1.25},
                            {"stream_dram", 1.06 * 1.1 * 1.25}});
  EXPECT_GE(share_right(mixed, {yes, yes, yes}), 0.95);
  EXPECT_GE(share_right(mixed, {yes, yes, yes}, 0.01, "stream_dram"), 0.95);
}

TEST(slowdown, of_two_causes_is_called_these_two) {
  EXPECT_GE(share_right(with({{"spin", 1.08}, {"own_l1", 1.08}, {"stream_llc", 1.08}, {"evict_read", 1.3}}),
                        {yes, no, yes}),
            0.95);
  EXPECT_GE(share_right(with({{"stream_llc", 1.1}, {"evict_read", 1.3}}), {no, yes, yes}), 0.95);
  EXPECT_GE(share_right(with({{"spin", 1.08}, {"own_l1", 1.08}, {"stream_llc", 1.18}, {"evict_read", 1.18}}),
                        {yes, yes, no}),
            0.95);
}

TEST(slowdown, that_is_only_noise_is_called_nothing) {
  EXPECT_GE(share_right(quiet, {no, no, no}), 0.95);
  EXPECT_GE(share_right(quiet, {no, no, no}, 0.015), 0.95);
}

TEST(slowdown, without_anything_to_lose_is_never_called_eviction) {
  // Flushing costs nothing: the weights came from memory anyway, and a stream of it competes for that.
  const Truth large = with({{"evict_flush", 1}, {"evict_read", 1.2}, {"stream_dram", 1.3}});
  EXPECT_GE(share_right(large, {no, yes, no}), 0.95);
}

TEST(slowdown, beyond_what_flushing_costs_is_called_bandwidth_too) {
  const Truth busy = with({{"evict_flush", 1.3}, {"evict_read", 1.6}});
  EXPECT_GE(share_right(busy, {no, yes, yes}), 0.95);
  const auto found = split(fake(busy, 1)).at("evict_read");
  EXPECT_NEAR(std::get<harness::Interval>(found.eviction.time_ratio).median, 1.3, 0.02);
  EXPECT_NEAR(std::get<harness::Interval>(found.bandwidth.time_ratio).median, 1.6 / 1.3, 0.02);
}

TEST(slowdown, that_is_drowned_in_noise_is_never_claimed) {
  int claims = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    for (const auto& [arm, found] : split(fake(quiet, seed, 0.2))) {
      if (arm == "evict_flush") continue;
      for (const auto* each : {&found.core_sharing, &found.bandwidth, &found.eviction})
        claims += each->word == yes ? 1 : 0;
    }
  }
  EXPECT_LE(claims, 200 * 2 * 3 / 40);
  const auto found = split(fake(quiet, 3, 0.2)).at("evict_read");
  EXPECT_EQ(found.bandwidth.word, unknown);  // not "none": twenty percent could hide in it
}

TEST(slowdown, keeps_its_numbers_and_parts_multiply_to_the_whole) {
  const Truth mixed = with({{"spin", 1.06}, {"own_l1", 1.06}, {"stream_llc", 1.166}, {"evict_read", 1.4575}});
  const auto found = split(fake(mixed, 5, 1e-6)).at("evict_read");
  EXPECT_EQ(found.launches, 10);
  EXPECT_NEAR(found.time_ratio.median, 1.4575, 1e-4);
  EXPECT_NEAR(std::get<harness::Interval>(found.core_sharing.time_ratio).median, 1.06, 1e-4);
  EXPECT_NEAR(std::get<harness::Interval>(found.bandwidth.time_ratio).median, 1.1, 1e-4);
  EXPECT_NEAR(std::get<harness::Interval>(found.eviction.time_ratio).median, 1.25, 1e-4);
}

TEST(slowdown, by_flushing_is_eviction_alone) {
  const auto found = split(fake(quiet, 1)).at("evict_flush");
  EXPECT_EQ(words(found), (Words{alone, alone, yes}));
  EXPECT_NEAR(std::get<harness::Interval>(found.eviction.time_ratio).median, 2, 0.05);
}

TEST(slowdown, of_a_stream_that_did_not_evict_cannot_be_told) {
  Fake made = fake(with({{"evict_stream", 1.5}}), 1);
  made.submission.plans[0].evict_stream_bytes = 1 << 20;
  EXPECT_EQ(split(made).at("evict_stream").eviction.word, yes);  // nothing in the document says otherwise
  harness::Launch probes;
  probes.purpose = "probes";
  auto series = test_curve("eviction", "bytes", {64 << 20, 128 << 20}, [](int64_t) { return 1e9; });
  series.params = {{"warm_lap_ns", int64_t{1000}},         {"warm_lap_low_ns", int64_t{990}},
                   {"warm_lap_high_ns", int64_t{1010}},    {"flushed_lap_ns", test_sample_ns},
                   {"flushed_lap_low_ns", test_sample_ns}, {"flushed_lap_high_ns", test_sample_ns}};
  probes.series = {series};
  made.submission.launches = {probes};
  EXPECT_EQ(split(made).at("evict_stream").eviction.word, unknown);
}

TEST(slowdown, with_a_failed_control_cannot_be_told) {
  Fake made = fake(with({{"evict_read", 1.5}}), 1);
  for (auto& arm : made.arms) {
    if (arm.arm != "aa") continue;
    for (auto& launch : arm.launches) launch.block_median_ns *= 1.05;
  }
  EXPECT_EQ(words(split(made).at("evict_read")), (Words{unknown, unknown, unknown}));
  EXPECT_EQ(words(split(made).at("evict_flush")), (Words{alone, alone, unknown}));
}

TEST(slowdown, without_a_control_says_which_is_missing) {
  Truth truth = with({{"evict_read", 1.5}});
  truth.erase("stream_llc");
  auto found = split(fake(truth, 1)).at("evict_read");
  EXPECT_EQ(words(found), (Words{no, unknown, unknown}));
  EXPECT_EQ(std::get<harness::Unavailable>(found.eviction.time_ratio).reason, "stream_llc gave no speed");
  truth.erase("own_l1");
  EXPECT_EQ(split(fake(truth, 1)).at("evict_read").core_sharing.word, no);  // spin alone still answers
  truth.erase("spin");
  found = split(fake(truth, 1)).at("evict_read");
  EXPECT_EQ(words(found), (Words{unknown, unknown, unknown}));
  truth = with({{"evict_read", 1.5}});
  truth.erase("evict_flush");
  EXPECT_EQ(split(fake(truth, 1)).at("evict_read").eviction.word, unknown);
}

TEST(slowdown, of_weights_that_leave_the_stream_no_room_cannot_be_told) {
  Fake made = fake(with({{"evict_read", 1.5}, {"stream_llc", 1.2}}), 1);
  EXPECT_EQ(split(made).at("evict_read").eviction.word, yes);
  made.submission.plans[0].weight_bytes_per_token = 17 << 20;
  EXPECT_EQ(words(split(made).at("evict_read")), (Words{no, unknown, unknown}));
}

/// Places all antagonists on the sibling of a core whose L2 holds what a token reads.
Fake on_sibling(const Truth& truth, uint64_t seed) {
  Fake made = fake(truth, seed);
  made.submission.machine.cores = 2;
  made.submission.machine.threads = 4;
  made.submission.plans[0].weight_bytes_per_token = 1 << 20;
  for (auto& arm : made.arms) arm.key.placement = arm.arm == "warm" || arm.arm == "aa" ? "none" : "sibling";
  return made;
}

TEST(slowdown, of_a_stream_through_a_shared_l2_is_not_called_bandwidth) {
  const Truth truth = with({{"stream_llc", 1.2}, {"evict_read", 1.2}});
  auto made = on_sibling(truth, 1);
  auto found = split(made).at("evict_read");
  EXPECT_EQ(words(found), (Words{no, unknown, no}));
  EXPECT_NEAR(std::get<harness::Interval>(found.bandwidth.time_ratio).median, 1.2, 0.02)
      << "the number stays";
  EXPECT_TRUE(evicts_shared_l2(made.submission, found.key));
  made.submission.plans[0].weight_bytes_per_token = 4 << 20;  // nothing of it would be in 1 MiB of L2
  found = split(made).at("evict_read");
  EXPECT_EQ(words(found), (Words{no, yes, no}));
  EXPECT_FALSE(evicts_shared_l2(made.submission, found.key));
  EXPECT_EQ(split(on_sibling(quiet, 1)).at("evict_read").bandwidth.word, no)
      << "nothing is nothing, shared or not";
}

TEST(slowdown, of_a_core_in_a_cluster_with_a_shared_l2_is_not_called_bandwidth_either) {
  auto made = on_sibling(with({{"stream_llc", 1.2}, {"evict_read", 1.2}}), 1);
  for (auto& arm : made.arms) arm.key.placement = "same_llc";
  made.submission.machine.caches[0].shared_by_pus = 2;  // the two threads of a core
  EXPECT_EQ(split(made).at("evict_read").bandwidth.word, yes);
  made.submission.machine.caches[0].shared_by_pus = 8;
  EXPECT_EQ(split(made).at("evict_read").bandwidth.word, unknown);
}

TEST(slowdown, knows_how_far_the_clock_falls_beside_a_spinning_thread) {
  auto made = on_sibling(quiet, 1);
  const auto& key = made.arms.front().key;
  EXPECT_FALSE(spin_clock_ratio(made.submission, key));
  for (int round = 0; round < 3; ++round) {
    harness::Launch launch;
    launch.purpose = "decode";
    launch.plan = 0;
    launch.series.resize(2);
    launch.series[0].arm = "warm";
    launch.series[0].totals.core_clock_high_hz = 4'000'000'000;
    launch.series[1].arm = "spin";
    launch.series[1].totals.core_clock_high_hz = 3'800'000'000 + round;
    made.submission.launches.push_back(launch);
  }
  EXPECT_NEAR(spin_clock_ratio(made.submission, key).value(), 0.95, 1e-6);
}

TEST(slowdown, is_not_split_without_controls_or_with_one_launch) {
  EXPECT_TRUE(split(fake({{"evict_flush", 2}, {"evict_read", 1.5}}, 1)).empty());
  EXPECT_TRUE(split(fake(quiet, 1, 0.01, 1)).empty());
}

}  // namespace
}  // namespace analysis
