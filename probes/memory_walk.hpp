// The concurrent antagonist: a thread that reads or writes memory while something else is measured.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "harness/buffer.hpp"
#include "harness/error.hpp"
#include "harness/topology.hpp"

namespace probes {

inline constexpr int64_t memory_walk_bytes = int64_t{64} << 20;

/// What the walk does to each line. Written lines must be owned by the core that writes and go back to
/// memory.
enum class Walk { read, write };

/// Owns a thread, bound to one PU, that reads or writes one byte of each 64-byte line of a buffer, round and
/// round, until this is destroyed. When the constructor returns, the thread is bound and walking. Throws
/// Error(unavailable) when it cannot be bound there.
class MemoryWalk {
 public:
  MemoryWalk(const harness::Topology& topology, int pu, const harness::Buffer& buffer, Walk walk);
  ~MemoryWalk();
  MemoryWalk(const MemoryWalk&) = delete;
  MemoryWalk& operator=(const MemoryWalk&) = delete;
  /// Returns how many bytes of memory the lines walked so far make (64 each).
  [[nodiscard]] int64_t walked_bytes() const { return walked_bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> walked_bytes_{0};
  std::thread thread_;
};

/// A PU for a second thread, and its place relative to the first.
struct Neighbour {
  int pu = -1;
  std::string placement;  ///< "sibling" | "same_llc" | "other_llc"
};

/// Returns the nearest allowed PU: a sibling, else one under the same last-level cache, else another.
harness::Reading<Neighbour> nearest_neighbour(const harness::Topology& topology, int pu);

}  // namespace probes
