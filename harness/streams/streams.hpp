// The streams: what a core can load and store per second when it does nothing else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "harness/cpu_features.hpp"

namespace harness {

/// Reads [data, data + bytes) `passes` times, each byte once per pass.
using ReadLoop = uint64_t (*)(const void* data, size_t bytes, int64_t passes);

/// One table per ISA file. Buffers are 64-byte aligned, sizes multiples of 512 bytes.
struct Streams {
  const char* isa = "scalar";
  int vector_bytes = 8;
  /// Reads [data, data + bytes) `passes` times with every load consumed, and returns the XOR over all 64-bit
  /// words of one pass, times the parity of passes: xor over all passes. A compiler barrier stands between
  /// passes.
  ReadLoop read = nullptr;
  /// The same with software prefetches a fixed way ahead, which some caches answer faster at some sizes and
  /// others slower; nullptr where the ISA file has none.
  ReadLoop read_ahead = nullptr;
  /// Stores a 64-bit word all over [data, data + bytes), `passes` times: value, value + 1, … value + passes
  /// − 1.
  void (*store)(void* data, size_t bytes, int64_t passes, uint64_t value) = nullptr;
  /// The same past the caches, without write-allocate, each pass with a store fence at its end; nullptr where
  /// the ISA has no such stores.
  void (*store_nt)(void* data, size_t bytes, int64_t passes, uint64_t value) = nullptr;
  /// Copies `bytes` from one array to another that does not overlap, `passes` times.
  void (*copy)(void* to, const void* from, size_t bytes, int64_t passes) = nullptr;
  /// a = b + scale × c over arrays of `bytes` each, multiplied and added with a rounding each, `passes` times
  /// (McCalpin, STREAM).
  void (*triad)(double* a, const double* b, const double* c, size_t bytes, double scale,
                int64_t passes) = nullptr;
};

/// All tables compiled into this binary, widest last. "scalar" is always there.
std::span<const Streams> streams_tables();
/// Returns whether a CPU can run the table.
bool runs_on(const Streams& table, const CpuFeatures& features);
/// Returns the widest one that this CPU runs. Pure.
const Streams& select_streams(const CpuFeatures& features);

}  // namespace harness
