// Finds what the probes of a submission measured, or why they did not.
#pragma once
#include <string>
#include <vector>

#include "harness/curve.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Returns the first ok series of a probe in launches of a purpose; of several page sizes the largest, of
/// several operations the read, on that many threads, not confined to windows. Unavailable with the series'
/// own reason, or "PROBE has not run".
harness::Reading<const harness::Series*> find_series(const harness::Submission& submission,
                                                     const std::string& purpose, const std::string& probe,
                                                     int threads = 1);

/// Returns the curve of a probe: bytes/s for probes that count bytes, cycles/s for cycles, ns per load for
/// loads.
harness::Reading<harness::Curve> find_curve(const harness::Submission& submission, const std::string& purpose,
                                            const std::string& probe, harness::Spread spread,
                                            int threads = 1);

/// Returns a whole number among the params of a series, or `otherwise`.
int64_t integer_param(const harness::Series& series, const std::string& name, int64_t otherwise);

/// Returns the curves of a probe that were taken again, in order: after pauses (purpose roofs_resumed) and
/// after decode (roofs_after). Launches without one are left out.
std::vector<harness::Curve> repeated_curves(const harness::Submission& submission, const std::string& probe,
                                            harness::Spread spread);

/// Returns the page size a series was measured on: its param page_bytes; else 2 MiB when the kernel granted
/// huge pages for its buffer (params huge_bytes_granted, buffer_bytes); else `otherwise`.
int64_t series_page_bytes(const harness::Series& series, int64_t otherwise);

/// Returns the first data or unified CPU cache of a level whose size is reported, or nullptr.
const harness::Cache* level_cache(const harness::Machine& machine, int level);
/// Returns the highest-level one, or nullptr.
const harness::Cache* last_level_cache(const harness::Machine& machine);

/// Returns the working set at which a level's roof is read (derive.hpp gives the rule), or 0 without that
/// cache.
int64_t roof_size_bytes(const harness::Machine& machine, int level);

/// "l1" … for a cache level.
std::string level_name(int level);

/// Returns the smallest cache (1 to 3) whose reported size holds so many bytes, or 0.
int holding_cache_level(const harness::Machine& machine, int64_t bytes);
/// Returns its name, or "dram".
std::string level_of_size(const harness::Machine& machine, int64_t bytes);

/// Returns the kind of core that is measured: the machine's first.
std::string measured_core_kind(const harness::Machine& machine);

}  // namespace analysis
