// Whether a document's own conditions say that something else ran where its figures were taken. Pure.
#pragma once
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Share of a run in which some task waited for a CPU, above which a figure may be that of the wait. Quiet
/// runs on two cores, one thread on each of them included, had 0.01 to 0.14; a second thread on the measured
/// PU 0.7 and more.
inline constexpr double most_psi_cpu_some = 0.25;
/// Least share of its timed wall time for which a measuring thread must have had its PU: that of a sample
/// that counts as undisturbed (harness/disturbance.hpp), over the whole run. Quiet runs had 0.996 and more.
inline constexpr double least_pu_share = 0.95;

/// Returns the doubts about a run that measured times: each says the number and its bound. A claim whose
/// figures do not depend on time (test "exact") has none. The rule is the same for every claim.
std::vector<std::string> doubts_of_conditions(const Claim& claim, const harness::Submission& submission);

}  // namespace analysis
