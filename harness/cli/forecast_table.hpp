// The forecasts of a run against what was measured, and what an interval of theirs claims.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Returns whether a forecast's interval is only that of the reads it rests on: it says nothing of what the
/// forecast leaves out, so that no share of decodes is meant to lie inside. docs/forecasts.md, "Interval".
bool has_naive_interval(const std::string& id);

/// What such an interval is, in words.
inline constexpr const char* naive_interval =
    "the interval is how far the reads scatter or are uncertain; it is not meant to hold 90 % of decodes";

/// One line per forecast: its interval, what was measured over it, whether that lies inside.
std::string forecasts_text(const Terminal& terminal, const harness::Submission& submission);

}  // namespace cli
