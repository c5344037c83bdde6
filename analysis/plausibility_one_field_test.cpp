// Every rule against a good submission in which one thing was changed: that rule objects, at its place, and
// no other.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "analysis/forecast.hpp"
#include "analysis/plausibility.hpp"
#include "analysis/plausibility_machine.hpp"
#include "analysis/plausibility_samples.hpp"
#include "analysis/test_claim.hpp"
#include "analysis/test_submission.hpp"
#include "harness/topology.hpp"

namespace analysis {
namespace {

using harness::Submission;

constexpr const char* now_utc = "2026-12-01T10:00:00Z";

/// What is stated anew after a change, so that only the rule in question can object.
enum class Anew { nothing, figures, forecasts };

void restate(Submission& submission, Anew anew) {
  if (anew == Anew::nothing) return;
  for (harness::Forecast& forecast : submission.forecasts) {
    if (anew == Anew::figures) break;
    for (const auto& own : make_forecasts(submission, models::find_shape(forecast.key.model), forecast.key))
      if (own.id == forecast.id) forecast = own;
  }
  submission.derived = derive(submission);
}

/// Makes the read curve so many times as fast at sizes in (above, up_to].
void quicken(Submission& submission, int64_t above, int64_t up_to, double factor) {
  harness::Series& curve = submission.launches[0].series[0];
  for (size_t i = 0; i < curve.sizes_bytes.size(); ++i) {
    if (curve.sizes_bytes[i] <= above || curve.sizes_bytes[i] > up_to) continue;
    for (int64_t& sample : curve.samples_by_size[i])
      sample = std::llround(static_cast<double>(sample) / factor);
  }
}

/// "CODE pointer" of each finding of a good submission after one change.
std::string findings_after(const std::function<void(Submission&)>& change, Anew anew) {
  Submission submission = test_submission();
  submission.created_utc = now_utc;
  submission.machine.cores = submission.machine.threads = 2;
  submission.conditions.clock_resolution_ns = 20;
  change(submission);
  restate(submission, anew);
  std::string found;
  for (const Finding& finding : check_plausibility(submission, nullptr, now_utc))
    found += (found.empty() ? "" : "; ") + finding.code + " " + finding.pointer;
  return found;
}

struct Case {
  const char* name;
  const char* expected;
  std::function<void(Submission&)> change;
  Anew anew = Anew::nothing;
};

const Case cases[] = {
    {"golden_got", "R01 /launches/2/golden_got", [](Submission& s) { s.launches[2].golden_got = "b"; }},
    {"golden", "R01 /plans/0/golden",
     [](Submission& s) {
       s.plans[0].golden = std::string(64, 'b');
       for (auto& launch : s.launches)
         if (launch.golden_got) launch.golden_got = s.plans[0].golden;
     }},
    {"token_ns_p50", "R02 /derived/decode/1/token_ns_p50",
     [](Submission& s) { ++s.derived.decode[1].token_ns_p50; }},
    {"flag", "R02 /derived/flags/0/code",
     [](Submission& s) {
       s.derived.flags.push_back({"steal", "", 1});
     }},
    {"mark", "R03 /launches/1/series/0/disturbed",
     [](Submission& s) { s.launches[1].series[0].disturbed["steal"] = {60}; }},
    {"missing_sample", "R03 /launches/3/series/1/samples",
     [](Submission& s) { s.launches[3].series[1].samples.pop_back(); }, Anew::figures},
    {"declared_launches", "R03 /plans/0/launches", [](Submission& s) { ++s.plans[0].launches; }},
    {"future", "R04 /created_utc", [](Submission& s) { s.created_utc = "2026-12-02T10:00:01Z"; }},
    {"wall", "R05 /launches/2/wall_ns", [](Submission& s) { s.launches[2].wall_ns = 400'000'000; }},
    {"bytes_per_token", "R07 /plans/0/weight_bytes_per_token",
     [](Submission& s) { --s.plans[0].weight_bytes_per_token; }, Anew::figures},
    {"forecast_point", "R08 /forecasts/0",
     [](Submission& s) { std::get<harness::Interval>(s.forecasts[0].tokens_per_s).median *= 1.01; },
     Anew::figures},
    {"made_ns", "R09 /forecasts/1/made_ns", [](Submission& s) { s.forecasts[1].made_ns = 11'000'000'000; }},
    {"pause", "R10 /interruptions/0",
     [](Submission& s) {
       s.interruptions = {{99, "resumed", 1, 2}};
     },
     Anew::figures},
    {"cache_line", "P06 /machine/caches/1", [](Submission& s) { s.machine.caches[1].line_bytes = 56; }},
    {"cache_shared", "P06 /machine/caches/2", [](Submission& s) { s.machine.caches[2].shared_by_pus = 3; }},
    {"kind_failure", "R21 /failure/observed",
     [](Submission& s) {
       s.kind = "failure";
       s.failure = harness::Failure{"a claim", "", "it lies in /home/ada/x", "result", "", 0, {}};
     }},
    {"warm_samples", "P01 /derived/decode/0/tokens_per_s",
     [](Submission& s) {
       for (auto& launch : s.launches)
         for (auto& series : launch.series)
           if (series.arm == "warm")
             for (int64_t& sample : series.samples) sample = sample * 7 / 10;
     },
     Anew::figures},
    {"l1_curve", "P02 /derived/roofs/0/read_bytes_per_s", [](Submission& s) { quicken(s, 0, 48 << 10, 8); },
     Anew::forecasts},
    {"l2_curve", "P04 /derived/roofs/1/read_bytes_per_s",
     [](Submission& s) { quicken(s, 48 << 10, 1 << 20, 4.01); }, Anew::forecasts},
    {"same_samples", "P09 /launches/1/series/3/samples",
     [](Submission& s) { s.launches[1].series[3].samples.assign(60, 32 * 61'000); }, Anew::figures},
};

TEST(plausibility_one_field, the_submission_that_is_changed_is_good) {
  EXPECT_EQ(findings_after([](Submission&) {}, Anew::nothing), "");
  EXPECT_EQ(findings_after([](Submission& s) { s.created_utc = "2026-12-02T10:00:00Z"; }, Anew::nothing), "")
      << "clocks differ by up to a day";
}

TEST(plausibility_one_field, exactly_one_rule_objects_at_its_place) {
  for (const Case& each : cases)
    EXPECT_EQ(findings_after(each.change, each.anew), each.expected) << each.name;
}

/// A rule without a test here or there is not finished.
TEST(plausibility_one_field, every_code_of_the_page_has_such_a_test) {
  std::set<std::string> tested{"P03", "P05",  // below
                               "R11", "P10",  // plausibility_looks_test
                               "R20", "P20",  // import_judgement_test
                               "R06"};        // a note: store_test.py
  for (const Case& each : cases) tested.insert(std::string(each.expected).substr(0, 3));
  std::ifstream page("docs/plausibility.md");
  std::set<std::string> codes;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) codes.insert(line.substr(3));
  }
  EXPECT_GE(codes.size(), 20U);
  EXPECT_EQ(codes, tested);
}

TEST(plausibility_one_field, P03_flushed_weights_are_not_faster_than_warm_ones) {
  TestRun run;
  std::swap(run.arms[0].second, run.arms[2].second);  // warm 120 µs, evict_flush 60 µs
  run.arms[1].second = run.arms[0].second;
  Submission submission = test_submission(run);
  EXPECT_EQ(check_plausibility(submission).size(), 0u) << "nobody verified that anything was flushed";
  add_eviction_evidence(submission, "evict_flush");
  submission.derived = derive(submission);
  const auto findings = check_plausibility(submission);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "P03");
  EXPECT_EQ(findings[0].severity, Severity::quarantine);
  EXPECT_EQ(findings[0].pointer, "/derived/ratios/1/speed_ratio");
  run.arms[2].second = run.arms[0].second * 99 / 100;  // 1 % is noise
  submission = test_submission(run);
  add_eviction_evidence(submission, "evict_flush");
  submission.derived = derive(submission);
  EXPECT_EQ(check_plausibility(submission).size(), 0u);
}

harness::Derived roofs(double l1, double l2, double l1_ns, double l2_ns) {
  const auto around = [](double value) { return harness::Interval{value, value * 0.99, value * 1.01}; };
  harness::Derived derived;
  derived.roofs = {{"l1", "uniform", 1, 4096, 1, around(l1), around(l1_ns)},
                   {"l2", "uniform", 1, 4096, 2, around(l2), around(l2_ns)}};
  return derived;
}

TEST(plausibility_one_field, P04_levels_fall_in_bandwidth_and_rise_in_latency) {
  const auto found = [](const harness::Derived& derived) {
    std::vector<Finding> findings;
    check_order(derived, findings);
    std::string text;
    for (const Finding& finding : findings) text += finding.code + " " + finding.pointer + ";";
    return text;
  };
  EXPECT_EQ(found(roofs(2e11, 1e11, 1, 4)), "");
  EXPECT_EQ(found(roofs(1e11, 1.9e11, 1, 0.6)), "") << "a busy neighbour can do that";
  EXPECT_EQ(found(roofs(1e11, 2.1e11, 1, 4)), "P04 /derived/roofs/1/read_bytes_per_s;");
  EXPECT_EQ(found(roofs(2e11, 1e11, 1, 0.4)), "P04 /derived/roofs/1/load_latency_ns;");
  harness::Derived two_threads = roofs(1e11, 2.1e11, 1, 4);
  two_threads.roofs[1].threads = 2;
  EXPECT_EQ(found(two_threads), "") << "of two threads";
}

TEST(plausibility_one_field, P05_what_was_measured_is_near_what_is_reported) {
  harness::Machine machine;
  machine.cores = machine.threads = 2;
  machine.caches = {test_cache(2, 1 << 20), test_cache(3, 32 << 20)};
  const auto found = [&](const char* level, int64_t reported, harness::Interval measured) {
    harness::Derived derived;
    derived.caches = {{level, "uniform", reported, measured, "m", "r"}};
    std::vector<Finding> findings;
    check_capacities(machine, derived, findings);
    return findings.empty() ? "" : findings[0].code + " " + findings[0].pointer;
  };
  EXPECT_EQ(found("l2", 1 << 20, {9e5, 6e5, 1e6}), "");
  EXPECT_EQ(found("l2", 1 << 20, {4e5, 3e5, 5e5}), "P05 /derived/caches/0/effective_bytes");
  EXPECT_EQ(found("l2", 1 << 20, {3e6, 2.2e6, 4e6}), "P05 /derived/caches/0/effective_bytes");
  EXPECT_EQ(found("l3", 32 << 20, {4e6, 3e6, 5e6}), "") << "neighbours have the rest";
  EXPECT_EQ(found("l3", 32 << 20, {9e7, 8e7, 1e8}), "P05 /derived/caches/0/effective_bytes");
  machine.virtualised = true;
  EXPECT_EQ(found("l3", 32 << 20, {9e7, 8e7, 1e8}), "");
}

TEST(plausibility_one_field, P06_takes_caches_as_machines_have_them) {
  const auto found = [](std::vector<harness::Cache> caches) {
    harness::Machine machine;
    machine.threads = 2;
    machine.caches = std::move(caches);
    std::vector<Finding> findings;
    check_cache_facts(machine, findings);
    return findings.empty() ? "" : findings[0].pointer;
  };
  EXPECT_EQ(found({test_cache(1, 48 << 10), test_cache(2, 1 << 20), test_cache(3, 32 << 20)}), "");
  EXPECT_EQ(found({test_cache(1, 48 << 10), test_cache(2, 0), test_cache(3, 32 << 20)}), "") << "not said";
  EXPECT_EQ(found({test_cache(1, 56), test_cache(2, 1 << 20)}), "/machine/caches/0");
  EXPECT_EQ(found({test_cache(1, 48 << 10), test_cache(2, 32 << 20), test_cache(3, 1 << 20)}),
            "/machine/caches/2/bytes");
  harness::Cache code = test_cache(1, 4 << 20);
  code.type = "instruction";
  EXPECT_EQ(found({code, test_cache(1, 48 << 10), test_cache(2, 1 << 20)}), "");
}

TEST(plausibility_one_field, P09_another_runs_samples_times_a_factor_are_found) {
  const Submission original = test_submission();
  Submission copy = original;
  copy.nonce = "another";
  EXPECT_EQ(copied_series(original, original), "") << "itself";
  EXPECT_EQ(copied_series(copy, original), "/launches/1/series/0/samples") << "as they were";
  for (auto& launch : copy.launches)
    for (auto& series : launch.series)
      for (int64_t& sample : series.samples) sample = std::llround(static_cast<double>(sample) * 0.937);
  EXPECT_EQ(copied_series(copy, original), "/launches/1/series/0/samples");
  EXPECT_EQ(copied_series(original, copy), "/launches/1/series/0/samples");
  for (auto& launch : copy.launches)
    for (auto& series : launch.series)
      for (size_t i = 0; i < series.samples.size(); ++i) series.samples[i] += i % 3 == 0 ? 700 : 0;
  EXPECT_EQ(copied_series(copy, original), "") << "another run";
}

}  // namespace
}  // namespace analysis
