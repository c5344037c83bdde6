// Whether an arm's evictions were seen to evict.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cold_size.hpp"
#include "harness/residency.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Returns the smallest streamed size that the laps of the `eviction` probe show to be cold, recomputed from
/// them; unavailable with the reason when the probe has not run or shows none.
harness::Reading<int64_t> cold_bytes(const harness::Submission& submission);

/// Returns how much an arm should stream: the next larger size that was tried, since another process may need
/// more than the one that found cold_bytes(); that itself when it was the largest.
harness::Reading<int64_t> bytes_to_stream(const harness::Submission& submission);

/// Returns how many seconds longer a page of 4 KiB takes to read when a stream has pushed its address out of
/// the caches, too, which a flush does not: what the probe's set on small pages took longer after the stream
/// than after a flush, per page; at least 0, and 0 where the probe does not tell.
double page_walk_s(const harness::Submission& submission);

/// Returns what the meter of `eviction` or `retention` saw at each position of the series, look by look: from
/// the params looks_I and lines_per_look; of documents that hold sums alone (lines_I, resident_lines_I) as
/// one look. No look where none was taken or the numbers cannot be.
std::vector<std::vector<harness::LineCount>> looks_of(const harness::Series& series);

/// Returns the references of an `eviction` series, recomputed from the laps in `eviction_references` of its
/// launch; of documents without these laps as stated.
harness::LapReferences lap_references_of(const harness::Launch& launch, const harness::Series& series);

/// Returns whether an arm's evictions were verified in all its launches of a plan, recomputed from the
/// numbers beside its samples (harness/eviction_evidence.hpp). Documents from before these numbers were
/// taken: whether evict_stream read at least cold_bytes(). Unavailable for arms that evict nothing
/// themselves, or when the numbers cannot tell.
harness::Reading<bool> eviction_verdict(const harness::Submission& submission, size_t plan,
                                        const std::string& arm, const std::string& mode);

/// Returns why a series was not evicted, or "": it failed for that reason, or its own numbers say so whatever
/// its status is.
std::string not_evicted_reason(const harness::Series& series);

/// Returns whether a series was not evicted: a finding about the machine, not a fault. It makes no speed.
bool is_not_evicted(const harness::Series& series);

}  // namespace analysis
