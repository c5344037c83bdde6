// Do two PUs share the cache that the topology says they share? Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Returns what a series' param `handovers_ns` holds; empty where it was not measured.
std::vector<double> handovers_ns(const harness::Series& series);

/// Returns memory's load-to-use latency in ns: load_latency at its largest size, where that is twice the last
/// cache or more; nothing elsewhere.
std::optional<double> memory_latency_ns(const harness::Submission& submission);

/// Whether a series with an antagonist on a sibling or under the same last-level cache shared none with it at
/// some time: a line took longer from one to the other than memory takes. Through a cache it takes a few of
/// that cache's latencies, on every CPU that is known to us; never as long as from memory.
bool shared_no_cache(const harness::Series& series, double memory_ns);

/// Adds the flag cache_not_shared (docs/flags.md), where there is something to tell.
void flag_cache_not_shared(const harness::Submission& submission, std::vector<harness::Flag>& flags);

}  // namespace analysis
