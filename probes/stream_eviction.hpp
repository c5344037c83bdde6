// Evicts what the caches hold by reading other memory: the method that the probe `eviction` tries out and the
// arm `evict_stream` uses.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/cpu_features.hpp"
#include "harness/streams/streams.hpp"
#include "probes/probe.hpp"

namespace probes {

/// Returns how much memory a stream reads before it begins again: max(4 × LLC, 512 MiB), far beyond the
/// caches. `llc_bytes` 0 means no known last-level cache.
int64_t stream_memory_bytes(int64_t llc_bytes);

/// Owns the memory that is read. Its residue in a cache belongs to the method: every eviction reads the same
/// prefix, which lies partly in a large cache from the eviction before.
class StreamEviction {
 public:
  /// `sizes_bytes`: how much evict() may be asked to read, each a positive multiple of 512. No more than
  /// `memory_bytes` of memory is taken. Throws Error(unavailable) when it is not to be had.
  StreamEviction(const std::vector<int64_t>& sizes_bytes, int64_t memory_bytes,
                 const harness::CpuFeatures& features, uint64_t seed);
  /// Reads `bytes`, one of the sizes given, with the widest loads of this CPU: the first so many of the
  /// memory, and what exceeds it in further passes from its start. Returns whether what was read is what was
  /// written.
  [[nodiscard]] bool evict(int64_t bytes) const;
  [[nodiscard]] const harness::Buffer& memory() const { return memory_; }
  [[nodiscard]] const harness::Streams& streams() const { return *streams_; }

 private:
  [[nodiscard]] uint64_t read(const harness::Streams& streams, int64_t bytes) const;

  harness::Buffer memory_;
  const harness::Streams* streams_;
  std::map<int64_t, uint64_t> checksums_;  ///< by size, from the plain stream
};

/// A stream that leaves nothing in the caches: twice over stream_memory_bytes(), the most that the probe
/// `eviction` tries.
struct WholeStream {
  std::shared_ptr<const StreamEviction> eviction;
  int64_t bytes = 0;

  /// Returns whether what was read is what was written.
  [[nodiscard]] bool evict() const { return eviction->evict(bytes); }
};

/// The stream that the probes of a process share, once one of them has asked for it: of processes that take
/// the probe `eviction`.
struct SharedStream {
  WholeStream stream;
};

/// Returns the stream of this process, made when it is first asked for. Unavailable without the memory, and
/// where the context has none to share: nobody evicts by streams there.
harness::Reading<WholeStream> whole_stream(const ProbeContext& context);

}  // namespace probes
