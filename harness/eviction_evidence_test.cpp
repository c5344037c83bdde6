#include "harness/eviction_evidence.hpp"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

/// Medians of a 32 MiB L3, evicted by 512 MiB.
EvictionEvidence cold() {
  EvictionEvidence evidence;
  evidence.lap_bytes = 1'933'312;
  evidence.laps = {
      {17'700, 47'500, 52'000}, {17'000, 47'900, 54'000}, {22'400, 48'100, 52'500}, {17'900, 53'000, 53'500}};
  evidence.calibration = ResidencyCalibration{156, 128, 1, 64, 0};
  evidence.looks = {{64, 0}, {64, 0}, {64, 0}, {64, 0}};
  sum_up(evidence);
  return evidence;
}

/// The same as documents from before single laps hold it.
EvidenceParams summed_up() {
  return {{"check_laps", std::string("4 1933312 17800 17000 22400 48000 47500 53000 53000")},
          {"check_lines", std::string("156 128 1 64 0 256 0")}};
}

/// Spreads cached lines over the looks of an evidence.
void see(EvictionEvidence& evidence, const std::vector<int64_t>& resident) {
  for (size_t i = 0; i < resident.size(); ++i) evidence.looks[i].resident = resident[i];
  sum_up(evidence);
}

EvictionVerdict judged(const EvictionEvidence& evidence) {
  return std::get<EvictionVerdict>(judge_eviction(evidence));
}

TEST(EvictionEvidence, is_evicted_when_the_lap_and_the_meter_say_so) {
  const auto verdict = judged(cold());
  EXPECT_TRUE(verdict.evicted) << verdict.why;
  EXPECT_LE(std::get<Interval>(verdict.resident).high, cold_resident_share);
}

TEST(EvictionEvidence, a_lap_like_a_flushed_one_does_not_hide_lines_that_are_still_cached) {
  auto evidence = cold();
  see(evidence,
      {30, 31, 31, 30});  // seen after 64 MiB: 48 of 100 cached, and the lap as slow as after a flush
  const auto verdict = judged(evidence);
  EXPECT_FALSE(verdict.evicted);
  EXPECT_NE(verdict.why.find("48 %"), std::string::npos) << verdict.why;
  EXPECT_EQ(verdict.why.find("lap"), std::string::npos);
}

TEST(EvictionEvidence, a_fast_first_lap_is_not_evicted_whatever_few_lines_say) {
  auto evidence = cold();
  evidence.first_lap_ns = 28'000;
  const auto verdict = judged(evidence);
  EXPECT_FALSE(verdict.evicted);
  EXPECT_NE(verdict.why.find("28000"), std::string::npos) << verdict.why;
}

TEST(EvictionEvidence, one_source_suffices_where_the_other_cannot_tell) {
  auto no_laps = cold();
  no_laps.references.warm_ns = no_laps.references.flushed_ns;  // weights beyond every cache
  EXPECT_TRUE(judged(no_laps).evicted);
  see(no_laps, {25, 25, 25, 25});
  no_laps.references.warm_ns = no_laps.references.flushed_ns;
  EXPECT_FALSE(judged(no_laps).evicted);
  auto no_lines = cold();
  no_lines.calibration = Unavailable{"the timer is too coarse"};
  EXPECT_TRUE(judged(no_lines).evicted);
  EXPECT_EQ(std::get<Unavailable>(judged(no_lines).resident).reason, "the timer is too coarse");
  auto neither = no_lines;
  neither.references.warm_ns = neither.references.flushed_ns;
  const auto verdict = judge_eviction(neither);
  ASSERT_FALSE(available(verdict));
  EXPECT_NE(std::get<Unavailable>(verdict).reason.find("too coarse"), std::string::npos);
}

TEST(EvictionEvidence, comes_back_from_params_as_it_was) {
  const auto evidence = cold();
  const auto read = read_evidence(evidence_params(evidence));
  ASSERT_TRUE(available(read)) << std::get<Unavailable>(read).reason;
  const auto& back = std::get<EvictionEvidence>(read);
  EXPECT_EQ(back.checks, evidence.checks);
  EXPECT_EQ(back.references.flushed_ns, evidence.references.flushed_ns);
  EXPECT_EQ(back.first_lap_ns, evidence.first_lap_ns);
  EXPECT_EQ(std::get<ResidencyCalibration>(back.calibration),
            std::get<ResidencyCalibration>(evidence.calibration));
  EXPECT_EQ(back.seen, evidence.seen);
  EXPECT_EQ(back.laps, evidence.laps);
  EXPECT_EQ(back.looks, evidence.looks);
  auto without = evidence;
  without.calibration = Unavailable{"no flush"};
  const auto again = read_evidence(evidence_params(without));
  ASSERT_TRUE(available(again));
  EXPECT_EQ(std::get<Unavailable>(std::get<EvictionEvidence>(again).calibration).reason, "no flush");
}

TEST(EvictionEvidence, of_a_document_that_holds_sums_alone_is_what_it_states) {
  const auto read = read_evidence(summed_up());
  ASSERT_TRUE(available(read)) << std::get<Unavailable>(read).reason;
  const auto& back = std::get<EvictionEvidence>(read);
  EXPECT_EQ(back.checks, 4);
  EXPECT_EQ(back.references, cold().references);
  EXPECT_EQ(back.first_lap_ns, 53'000);
  EXPECT_TRUE(judged(back).evicted);
}

TEST(EvictionEvidence, checks_that_disagree_do_not_prove_what_their_sum_would) {
  auto evidence = cold();
  see(evidence, {2, 2, 2, 2});
  EXPECT_TRUE(judged(evidence).evicted) << "3 of 100 each time: " << judged(evidence).why;
  see(evidence, {6, 1, 0, 0});  // as was seen on a VM whose L3 is shared
  EXPECT_TRUE(judged(evidence).evicted) << judged(evidence).why;
  see(evidence, {10, 0, 0, 0});
  EXPECT_FALSE(judged(evidence).evicted) << "hardly more lines in all, but one eviction left a sixth";
}

TEST(EvictionEvidence, that_saw_no_line_says_so) {
  auto evidence = cold();
  for (auto& look : evidence.looks) look = {};
  sum_up(evidence);
  const auto read = read_evidence(evidence_params(evidence));
  ASSERT_TRUE(available(read)) << std::get<Unavailable>(read).reason;
  EXPECT_FALSE(available(std::get<EvictionEvidence>(read).calibration));
}

TEST(EvictionEvidence, is_unavailable_when_any_number_is_missing_or_impossible) {
  const auto whole = evidence_params(cold());
  for (const auto& [name, value] : whole) {
    auto params = whole;
    params.erase(name);
    const auto read = read_evidence(params);
    ASSERT_FALSE(available(read)) << name;
    EXPECT_NE(std::get<Unavailable>(read).reason.find(name), std::string::npos);
  }
  for (const auto& [name, value] : whole) {
    const auto text = std::get<std::string>(value);
    for (const std::string& wrong : {text.substr(0, text.rfind(' ')), text + " 1", text + "x", "x" + text}) {
      auto params = whole;
      params[name] = wrong;
      EXPECT_FALSE(available(read_evidence(params))) << name << ": " << wrong;
    }
  }
  auto silenced = whole;
  silenced["check_no_meter"] = std::string("x");
  EXPECT_FALSE(available(read_evidence(silenced)));
  for (const char* times : {"9", "9 1 2", "9 1 2 0", "0 1 2 3 1 2 3 1 2 3 1 2 3", "9  1 2 3"}) {
    auto params = whole;
    params["check_times"] = std::string(times);
    EXPECT_FALSE(available(read_evidence(params))) << times;
  }
  EXPECT_TRUE(available(read_evidence(summed_up())));
  for (const char* laps : {"0 9 1 1 1 10 10 10 10", "4 0 1 1 1 10 10 10 10", "4 9 1 2 3 10 10 10 10",
                           "4 9 1 1 1 10 10 9 10", "4 9 1 1 1 10 10 10 0"}) {
    auto params = summed_up();
    params["check_laps"] = std::string(laps);
    EXPECT_FALSE(available(read_evidence(params))) << laps;
  }
  auto impossible = cold();
  impossible.looks[2].resident = 65;
  EXPECT_FALSE(available(read_evidence(evidence_params(impossible))));
}

}  // namespace
}  // namespace harness
