// Whether an arm's evictions were seen to evict.
#pragma once
#include <cstdint>
#include <string>

#include "harness/submission.hpp"

namespace analysis {

/// Returns the smallest streamed size that the laps of the `eviction` probe show to be cold, recomputed from
/// them; unavailable with the reason when the probe has not run or shows none.
harness::Reading<int64_t> cold_bytes(const harness::Submission& submission);

/// Returns whether a plan's evict_stream read at least cold_bytes(); unavailable for modes whose evictions
/// that probe does not judge.
harness::Reading<bool> eviction_verdict(const harness::Submission& submission, const harness::Plan& plan,
                                        const std::string& mode);

/// Returns whether a series failed because nothing is known to evict here: a finding about the machine, not a
/// fault.
bool is_not_evicted(const harness::Series& series);

}  // namespace analysis
