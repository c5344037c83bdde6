// A claim whose answers are known. For tests only.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/claim.hpp"
#include "analysis/claim_draft.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// The draft, filled in and with an ISA and an arm more, as JSON.
inline nlohmann::json test_claim_json() {
  using nlohmann::json;
  json claim = json::parse(claim_draft("residency_pays", "2027-01-31T00:00:00Z").dump());
  claim.update({{"hypothesis", "what fits is fast"},
                {"source", "a table"},
                {"published", "2.03x"},
                {"control", "a flush"},
                {"support_means", "residency pays"}});
  claim["plans"][0]["isa"] = "avx2";
  claim["plans"][0]["arms"].push_back("evict_read");
  return claim;
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
