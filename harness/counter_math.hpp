// Which counts can be believed. Pure: no PAPI here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/counters.hpp"

namespace harness {

/// Returns a count as PAPI gave it, or why it cannot be one: negative counts come from a driver that does not
/// count.
Reading<int64_t> checked_count(const std::string& event, long long count);

/// Marks counts unavailable that contradict each other: more instructions per cycle than any core retires
/// (PAPI has reported 928), cycles of 0 while instructions ran, and more cache or TLB misses than the loads
/// that were counted (PAPI_LD_INS) or, without them, than the instructions can have made.
void check_counts(CounterValues& values);

/// Returns the misses of the last-level cache of `level`, PAPI_L3_TCM or PAPI_L2_TCM: lines that came from
/// memory, prefetches included. Nothing where that level is not counted: misses of a nearer one may be hits
/// in it.
std::optional<int64_t> last_level_misses(const CounterValues& values, int level);

/// Says in a few words (every launch of a submission repeats them) why a hardware event does not open: "no
/// PMU driver", "no perf events in this kernel", "perf_event_paranoid is 4", else PAPI's own reason.
/// `paranoid` is /proc/sys/kernel/perf_event_paranoid, or "" when there is no such file.
std::string hardware_obstacle(const std::string& papi_reason, const std::string& paranoid);

}  // namespace harness
