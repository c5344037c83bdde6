// From raw launches to the figures people read. Pure: ingest recomputes them and compares.
#pragma once
#include "harness/submission.hpp"

namespace analysis {

/// Computes roofs, cache estimates, decode results, arm ratios, forecast errors and quality flags from the launches,
/// plans, machine and forecasts of a submission. Reads nothing else and ignores submission.derived.
harness::Derived derive(const harness::Submission& submission);

/// Roofs alone, from the launches of one purpose ("probes" | "roofs_after").
/// A level's roof is read at half the reported size for L1 and at the geometric mean of its own and the previous level's
/// reported size for the others: as far from both edges as a size can be. DRAM is dram_stream.
std::vector<harness::Roof> derive_roofs(const harness::Submission& submission, const std::string& purpose);

}  // namespace analysis
