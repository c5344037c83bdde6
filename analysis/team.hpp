// The controls that a speed-up by threads stands on, read from the params of decode series. Pure.
#pragma once
#include <optional>
#include <string>

#include "harness/submission.hpp"

namespace analysis {

/// Below this ratio PUs are not cores of a team's own: quiet cores agree within 2 %.
inline constexpr double own_core_ratio = 0.95;

/// Returns a param that is a number: canonical JSON writes a double without a fraction as an integer, which
/// is then read as one. Nullopt for a text.
std::optional<double> number_of(const harness::Param& param);

/// Returns the median of a param over the launches of decode arms that have it, each launch once; nullopt
/// when none has.
std::optional<double> median_param(const harness::Submission& submission, const std::string& param);

/// Returns the speed of a chain of multiplications on the slowest PU of a team while all run it, over that of
/// one alone; nullopt for submissions without a team.
std::optional<double> together_clock_ratio(const harness::Submission& submission);

/// Returns why PUs are slower together (`together`, a ratio of speeds) than one alone, as a clause, by the
/// clock measured meanwhile over that of one alone: documents from before it was looked at hold none, and 0
/// is a CPU whose clock is not known.
std::string why_together_is_slow(double together, std::optional<double> clock_ratio);

}  // namespace analysis
