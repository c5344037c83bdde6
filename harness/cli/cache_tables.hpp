// The tables of the probes that tell what the caches hold: eviction, residency, retention.
#pragma once
#include <string>
#include <vector>

#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

/// The launch is the one that holds the series: its references and calibration are recomputed from other
/// series.
///
/// Returns the truth table of the probe `eviction`: per amount streamed how long that takes, the first lap
/// against the flushed one, the share of lines still cached, and whether that is cold.
std::string eviction_text(const Terminal& terminal, const harness::Launch& launch,
                          const harness::Series& series);

/// Returns what single loads took in each place, the threshold, and how many lines of known sets it called
/// right.
std::string residency_text(const Terminal& terminal, const harness::Series& series);

/// Returns the half-life of each set by each method, with the share of lines left after each delay.
std::string retention_text(const Terminal& terminal, const harness::Launch& launch,
                           const harness::Series& series,
                           const std::vector<harness::RetentionEstimate>& retention);

}  // namespace cli
