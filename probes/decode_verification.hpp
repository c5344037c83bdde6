// What a decode launch does with the checks of its evictions.
#pragma once
#include <functional>

#include "harness/counters.hpp"
#include "harness/submission.hpp"
#include "probes/decode_pass.hpp"
#include "probes/eviction_check.hpp"

namespace probes {

/// Verifies an arm's evictions beside a pass, in a sequence of its own, which the pass begins by resetting.
/// Does nothing without a check.
void verify_eviction(const PassSetup& setup, const std::function<void()>& evict, EvictionCheck* check,
                     harness::Counters& counters);

/// Stores what the checks of an arm showed. What was not evicted has no speed under that name: the series is
/// `failed`, "not_evicted", and keeps its samples.
void add_evidence(harness::Series& series, const EvictionCheck& check);

}  // namespace probes
