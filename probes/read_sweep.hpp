// The read stream over a set of sizes: what load_bandwidth and dram_stream share.
#pragma once
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "probes/probe.hpp"

namespace probes {

/// Reads prefixes of `buffer` cyclically with the widest stream that the CPU runs, and returns the curve with
/// its params: pages, huge_bytes_granted, isa, vector_bytes. Every sample's checksum must be the one that the
/// data has.
harness::Series read_sweep(const std::string& probe, const ProbeContext& context,
                           const std::vector<int64_t>& sizes_bytes, const harness::Buffer& buffer);

}  // namespace probes
