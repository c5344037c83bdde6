// The table that a run, a decode or a forecast ends in.
#pragma once
#include <string>
#include <vector>

#include "harness/cli/session.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

std::string roofs_text(const Terminal& terminal, const std::vector<harness::Roof>& roofs);
std::string decode_text(const Terminal& terminal, const harness::Submission& submission);
/// Of runs of many plans: one narrow table per plan, with what each forecast was off by. At most 80 columns
/// wide up to 99,999 tokens/s.
std::string grouped_text(const Terminal& terminal, const harness::Submission& submission);
std::string flags_text(const Terminal& terminal, const harness::Submission& submission);

/// Everything a run found: roofs, decode per mode with its ratio to warm, forecasts against it, and flags.
std::string findings_text(const Terminal& terminal, const harness::Submission& submission);
/// The same, and where the document is.
std::string result_text(const Terminal& terminal, const harness::Submission& submission, const Saved& saved);

/// "12,345 [12,001 – 12,800]"; or "unavailable: reason".
std::string format_interval(const Terminal& terminal, const harness::Interval& interval);
/// "65–1,023": the positions of a decode, both inclusive.
std::string positions_text(const Terminal& terminal, const harness::DecodeKey& key);

}  // namespace cli
