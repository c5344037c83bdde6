// Which runs count when forecasts are scored: a rule that was fixed before any forecast was. Pure.
#pragma once
#include <string>

#include "harness/submission.hpp"

namespace harness {

/// Returns "" when a run counts, else why it does not, the first of:
///   failure            it is a failure document: it may hold a part of a run, or one that is stored besides
///   no_aa              no A/A control of two or more launches
///   aa_failed          the interval of an A/A control excludes 1
///   roofs_not_repeated load_bandwidth or dram_stream was not taken again after decode
///   roofs_drifted      a roof after decode differs by more than 5 % from before (the flag of that name)
/// Reads the derived figures, which whoever receives the document recomputes.
std::string uncounted_reason(const Submission& submission);

}  // namespace harness
