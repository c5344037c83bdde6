// A claim whose answers are known. For tests only.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/claim.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/submission.hpp"
#include "models/golden.hpp"

namespace analysis {

/// Residency pays at least twice, over ten launches, as JSON.
inline nlohmann::json test_claim_json() {
  using nlohmann::json;
  const json part = {{"name", "gain"},
                     {"quantity", "ratio(tokens_per_s[mode=warm], tokens_per_s[mode=evict_flush])"},
                     {"region", {{"low", 2.0}}},
                     {"support", {{"low", 0.5}, {"high", 20.0}}},
                     {"true_value", 2.2},
                     {"false_value", 1.8},
                     {"spread", 0.04}};
  const json plan = {{"name", "main"},
                     {"model", "coreflow_1_9m"},
                     {"isa", "avx2"},
                     {"arms", {"warm", "aa", "evict_flush", "evict_read"}}};
  return {{"schema", "tokroof/claim/1"},
          {"id", "residency_pays"},
          {"hypothesis", "what fits is fast"},
          {"source", "a table"},
          {"published", "2.03x"},
          {"control", "a flush"},
          {"support_means", "residency pays"},
          {"population", {"l3_bytes >= 4194304"}},
          {"exclusions", {"steal_ratio > 0.05"}},
          {"due_utc", "2027-01-31T00:00:00Z"},
          {"launches", 10},
          {"stop", "fixed_launches"},
          {"plans", {plan}},
          {"golden", {{"coreflow_1_9m", models::expected_golden(models::find_shape("coreflow_1_9m"))}}},
          {"test", "t_interval"},
          {"alpha", 0.05},
          {"parts", {part}},
          {"seed", 1}};
}

/// Gives an arm the numbers of eviction checks that found no line cached.
inline void add_eviction_evidence(harness::Submission& made, const std::string& arm) {
  harness::EvictionEvidence evidence;
  evidence.lap_bytes = 1'900'000;
  evidence.laps.assign(4, {18'000, 48'000, 50'000});
  evidence.calibration = harness::ResidencyCalibration{150, 128, 0, 64, 0};
  evidence.looks.assign(4, {64, 0});
  harness::sum_up(evidence);
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) {
      if (series.arm == arm) series.params = harness::evidence_params(evidence);
    }
  }
}

inline Claim test_claim(const std::function<void(nlohmann::json&)>& change = {}) {
  nlohmann::json text = test_claim_json();
  if (change) change(text);
  return claim_from_json(text.dump());
}

}  // namespace analysis
