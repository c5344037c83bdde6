// What a run's decode samples are known by again, whatever its copy is multiplied with. docs/store.md,
// "Trust".
#pragma once
#include <cstdint>
#include <vector>

#include "harness/store_tables.hpp"
#include "harness/submission.hpp"

namespace harness {

/// Returns up to 8 numbers that follow from the order in which the samples of decode series stand by length,
/// so that another nonce, time or unit changes none of them. They are the lowest of all that the document
/// has: a copy of some of its series is likely to share one. Empty for documents of kind "failure", which
/// repeat a run that may be there besides, and for those with too few samples.
std::vector<int64_t> fingerprints(const Submission& submission);

/// The table that holds them.
std::vector<Projection> projections_of_fingerprints();

}  // namespace harness
