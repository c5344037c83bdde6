// Evicts what the caches hold by reading other memory: the method that the probe `eviction` tries out and the
// arm `evict_stream` uses.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/cpu_features.hpp"
#include "harness/streams/streams.hpp"

namespace probes {

/// Owns the memory that is read. Its residue in a cache belongs to the method: every eviction reads the same
/// prefix, which lies partly in a large cache from the eviction before.
class StreamEviction {
 public:
  /// `sizes_bytes`: how much evict() may be asked to read, each a positive multiple of 512. Throws
  /// Error(unavailable) when the memory is not to be had.
  StreamEviction(const std::vector<int64_t>& sizes_bytes, const harness::CpuFeatures& features,
                 uint64_t seed);
  /// Reads the first `bytes`, one of the sizes given, once, with the widest loads of this CPU. Returns
  /// whether what was read is what was written.
  [[nodiscard]] bool evict(int64_t bytes) const;
  [[nodiscard]] const harness::Buffer& memory() const { return memory_; }
  [[nodiscard]] const harness::Streams& streams() const { return *streams_; }

 private:
  harness::Buffer memory_;
  const harness::Streams* streams_;
  std::map<int64_t, uint64_t> checksums_;  ///< by size, from the plain stream
};

}  // namespace probes
