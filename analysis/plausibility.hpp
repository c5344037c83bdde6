// Can a submission be true? Rules with codes; docs/plausibility.md gives each one's arithmetic.
#pragma once
#include <string>
#include <vector>

#include "harness/store_forecasts.hpp"
#include "harness/submission.hpp"

namespace analysis {

enum class Severity {
  reject,      ///< contradicts itself: not stored
  quarantine,  ///< beyond what its own roofs allow: stored, not shown by default
};

struct Finding {
  std::string code;  ///< "R01" …
  Severity severity = Severity::reject;
  std::string pointer;  ///< RFC 6901
  std::string detail;   ///< with the sum that shows it
  bool operator==(const Finding&) const = default;
};

/// Checks every rule of docs/plausibility.md but R06, R20 and P20. R rules reject, P rules quarantine:
///   R01 golden digest · R03 declared samples, launches, marks · R04 made in the future, before its claim, or
///   for another machine · R05 samples longer than their launch · R07 bytes per token · R08 forecasts follow
///   from the probes (of those that `stored` holds, their errors too) · R09 and were made before · R10 pauses
///   · R11 calibration and cold size · R21 a failure says who or where · R02 derived values (reals: 1e-6
///   relative) P01 above the read curve · P02 above the load ports · P03 flushed faster than warm · P04
///   levels out of order · P05 capacities · P06 cache facts · P09 samples all the same · P10 calibration
///   stated elsewhere
/// `now_utc` is the time that R04 means; "" is now.
/// P01 and P02 are judged on recomputed figures, and only where the probes they need are there
/// (unchecked_rules): limits come from the submitter's own roofs, never from a fixed number.
std::vector<Finding> check_plausibility(const harness::Submission& submission,
                                        const harness::ForecastRecord* stored = nullptr,
                                        const std::string& now_utc = "");

/// A rule that could not be applied to some figures.
struct Unchecked {
  std::string code;    ///< "P01", "P02"
  std::string reason;  ///< "4 of 8 decode figures: no read curve (load_bandwidth: …)"
  bool operator==(const Unchecked&) const = default;
};

/// Returns which rules say nothing about figures of this submission, and why: a decode without probes is not
/// plausible, but not checked.
std::vector<Unchecked> unchecked_rules(const harness::Submission& submission);

}  // namespace analysis
