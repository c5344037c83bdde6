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

/// Checks, in this order:
///   R01 reject      a decode series is ok although the launch's golden digest is not the plan's, or the
///   plan's is not
///                   the committed one of the model it names
///   R03 reject      a series has another number of samples than declared, or its launch names no plan
///   R04 reject      it was made for a claim and is older than the claim's seal, or its machine key is not
///   what its machine's facts give
///   R07 reject      a plan's weight bytes per token are not those of the model it names
///   R08 reject      a forecast is not what the probes give, or its model error not what the runs give that
///   it names; of those that `stored` holds, their errors too
///   R09 reject      a forecast was made after the first decode began
///   R10 reject      a pause does not lie in the gap before the launch that it names
///   R11 reject      a stated calibration or cold size is not what loads, laps and looks give
///   R21 reject      a failure's text says who or where
///   P10 quarantine  a calibration without its loads calls more than a quarter of the loads in residency
///   wrong R02 reject      a stated derived value is not what the launches give (reals: 1e-6 relative) P01
///   quarantine  weight bytes per token × tokens/s > 1.10 × the read curve at 0.8 × working set (of experts
///   those
///                   that one token visits), the curve raised to the best of its repeats
///   P02 quarantine  decode or a read roof > loads per cycle × vector bytes × 1.05 × the highest core_clock
///   sample, with 2
///                   loads of 64 bytes or 3 of 32 or less
/// P01 and P02 are judged on recomputed figures, and only where the probes they need are there
/// (unchecked_rules): limits come from the submitter's own roofs, never from a fixed number.
std::vector<Finding> check_plausibility(const harness::Submission& submission,
                                        const harness::ForecastRecord* stored = nullptr);

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
