// A stream over a set of sizes: what load_bandwidth and dram_stream share.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace probes {

/// Runs the operation of context.variant round and round over working sets (the sum of its arrays), on the
/// widest stream that the CPU runs and on the variant's pages, and returns the curve with its params:
/// operation, traffic_ratio, pages, huge_bytes_granted, isa, vector_bytes. The result of every sample is
/// verified. Unavailable when the stream or the pages do not exist here, or a set is too small for
/// its arrays.
harness::Series stream_sweep(const std::string& probe, const ProbeContext& context,
                             const std::vector<int64_t>& sizes_bytes);

/// Writes the params operation, traffic_ratio, isa and vector_bytes.
void record_stream(harness::Series& series, const std::string& operation,
                   const harness::CpuFeatures& features);

/// Writes which read loop was taken at each size of the series, one letter each in the order of sizes_bytes,
/// as param read_loops (more than 128 in read_loops_2 …): "r" plain, "a" with prefetches ahead. `ahead_at`
/// has the sizes of the second; a loop is chosen by trial laps (harness/streams/faster_read.hpp).
void record_read_loops(harness::Series& series, const std::set<int64_t>& ahead_at);

/// Returns why the streams of this CPU cannot do an operation, or an empty text.
std::string missing_stream(const std::string& operation, const harness::CpuFeatures& features);

}  // namespace probes
