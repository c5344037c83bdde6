// What the control arms of a plan are, and what they cannot tell apart.
#pragma once
#include <optional>

#include "harness/submission.hpp"

namespace analysis {

/// Returns whether a plan runs an arm that is a control for causes of slow-downs.
bool has_control(const harness::Plan& plan);

/// Returns the bytes of all weights of a plan, where its flushed arm tells; else what a token reads.
double plan_weight_bytes(const harness::Submission& submission, size_t plan);

/// Returns whether antagonists placed as in `key` stream through an L2 that they share with the decode, some
/// of whose weights that L2 could hold: then `stream_llc` is no control for bandwidth alone. A cyclic read of
/// twice an L2 finds nothing in it anyway.
bool evicts_shared_l2(const harness::Submission& submission, const harness::DecodeKey& key);

/// Returns the highest clock of the decoding core seen in `spin`, over that in `warm`: median over the
/// launches of the key's plan. nullopt where the clock is not known or spin did not run.
std::optional<double> spin_clock_ratio(const harness::Submission& submission, const harness::DecodeKey& key);

}  // namespace analysis
