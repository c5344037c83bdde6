// From raw launches to the figures people read. Pure: ingest recomputes them and compares.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Computes roofs, cache estimates, decode results, ratios of arms and of ISAs, causes of slow-downs,
/// interference, forecast errors and quality flags from the launches, plans, machine, conditions and
/// forecasts of a submission. Reads nothing else and ignores submission.derived. Series that are not ok, or
/// whose numbers make no speed, yield none; docs/flags.md says which flag tells of them.
harness::Derived derive(const harness::Submission& submission);

/// Roofs alone, from the launches of one purpose ("probes" | "roofs_after"): l1, l2, l3, dram, each with 95 %
/// t intervals over the samples of its series. A level's roof is read at half the reported size for L1 and at
/// the geometric mean of its own and the previous level's reported size for the others: as far from both
/// edges as a size can be. DRAM is dram_stream at its largest size, and the load latency at the largest size
/// chased, if that is at least twice the last-level cache; one more
/// for each number of threads that dram_stream read with, without latency. Unavailable with the reason when
/// the cache is not reported, the series is missing or not ok, or the curve does not reach the size.
std::vector<harness::Roof> derive_roofs(const harness::Submission& submission, const std::string& purpose);

/// Returns the selectors of what a plan decodes in a mode: what forecasts must carry to be compared with it.
/// core_kind is the machine's first, the kind that is measured.
harness::DecodeKey decode_key(const harness::Plan& plan, const harness::Machine& machine,
                              const std::string& mode, const std::string& placement = "none");

}  // namespace analysis
