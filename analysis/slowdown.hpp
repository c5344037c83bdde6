// Why evicting slows a decode: what of it is sharing a core, what traffic, and what weights that are gone.
#pragma once
#include <vector>

#include "analysis/derive_parts.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Splits what evict_read, evict_write and stream_dram cost over `warm` into core sharing, bandwidth and
/// eviction, and what evict_flush and evict_stream cost into eviction alone, as docs/method.md ("Where a
/// slow-down comes from") says. All from per-launch differences of log median block times: totals with 95 % t
/// intervals, parts with 98.3 % each, so that the three of an arm hold together at 95 %. Empty when no plan
/// has a control arm; parts are `cannot_tell` when a control is missing or the A/A control failed.
std::vector<harness::Slowdown> derive_slowdowns(const harness::Submission& submission,
                                                const std::vector<ArmRecord>& arms,
                                                const std::vector<harness::ArmRatio>& ratios);

}  // namespace analysis
