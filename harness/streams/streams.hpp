// The read streams: what a core can load per second when it does nothing else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "harness/cpu_features.hpp"

namespace harness {

/// One table per ISA file. Buffers are 64-byte aligned, sizes multiples of 512 bytes.
struct Streams {
  const char* isa = "scalar";
  int vector_bytes = 8;
  /// Reads [data, data + bytes) `passes` times with every load consumed, and returns the XOR over all 64-bit
  /// words of one pass, times the parity of passes: xor over all passes. A compiler barrier stands between
  /// passes.
  uint64_t (*read)(const void* data, size_t bytes, int64_t passes) = nullptr;
};

/// All tables compiled into this binary, widest last. "scalar" is always there.
std::span<const Streams> streams_tables();
/// Returns whether a CPU can run the table.
bool runs_on(const Streams& table, const CpuFeatures& features);
/// Returns the widest one that this CPU runs. Pure.
const Streams& select_streams(const CpuFeatures& features);

}  // namespace harness
