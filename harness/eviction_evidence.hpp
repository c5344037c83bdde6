// Whether what an arm did between tokens really left its weights in no cache: judged from what was measured
// before and after the timed tokens. Pure functions, so that whoever receives a submission recomputes it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cold_size.hpp"
#include "harness/error.hpp"
#include "harness/residency.hpp"

namespace harness {

/// Whether a decode mode evicts before every token, so that each weight byte comes from memory whatever
/// caches could hold: evict_flush and evict_stream. What another thread evicts beside it is another thing.
bool evicts_weights(const std::string& mode);

/// The laps of one check: after the weights were read, after they were flushed, and the first after an
/// eviction.
struct CheckLaps {
  int64_t warm_ns = 0, flushed_ns = 0, first_ns = 0;
  bool operator==(const CheckLaps&) const = default;
};

/// Several checks of the same arm. Laps are over the same bytes of the weights.
struct EvictionEvidence {
  int64_t checks = 0;
  int64_t lap_bytes = 0;
  LapReferences references;  ///< medians and sign-test intervals of warm and flushed laps
  double first_lap_ns = 0;   ///< median of the first laps after an eviction
  Reading<ResidencyCalibration> calibration = Unavailable{"no meter"};
  LineCount seen;  ///< lines that the meter looked at after evictions, before the lap
  /// What these sums were made of, check by check; empty in documents that hold the sums alone.
  std::vector<CheckLaps> laps;
  std::vector<LineCount> looks;
};

/// Sets `checks`, the references, `first_lap_ns` and `seen` to what laps and looks give.
void sum_up(EvictionEvidence& evidence);

/// What the evidence shows. `resident` and `why` say it in numbers.
struct EvictionVerdict {
  bool evicted = false;
  Reading<Interval> resident;  ///< share of cached lines; unavailable without a meter
  std::string why;             ///< "" when evicted
};

/// Judges: evicted when the median first lap is cold (cold_lap_ns) and the meter's interval lies at or below
/// cold_resident_share; where one of the two cannot tell, the other alone. Unavailable when neither can.
Reading<EvictionVerdict> judge_eviction(const EvictionEvidence& evidence);

/// Writes the laps and looks as params of a series (check_…), in whole ns, and reads them back, summed up
/// anew; of older documents the sums that they state. The reader returns Unavailable where a document has
/// none: it says what is missing.
EvidenceParams evidence_params(const EvictionEvidence& evidence);

/// Returns the whole numbers that a param holds between single spaces. Unavailable where it is missing or
/// holds what is no number.
Reading<std::vector<int64_t>> numbers_between_spaces(const EvidenceParams& params, const std::string& key);
Reading<EvictionEvidence> read_evidence(const EvidenceParams& params);

}  // namespace harness
