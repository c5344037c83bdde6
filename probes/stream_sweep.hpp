// A stream over a set of sizes: what load_bandwidth and dram_stream share.
#pragma once
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

/// Returns why the streams of this CPU cannot do an operation, or an empty text.
std::string missing_stream(const std::string& operation, const harness::CpuFeatures& features);

}  // namespace probes
