// The tables of a document's probes.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Returns the tables and pictures of the first launch's series, each with what disturbed it, of what another
/// core's work cost, and of jumps. "" for a document without a launch.
std::string series_tables(const Terminal& terminal, const harness::Submission& submission);

}  // namespace cli
