// The concurrent antagonist: a thread that keeps one part of the machine busy while something else is
// measured.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "harness/buffer.hpp"
#include "harness/error.hpp"
#include "harness/topology.hpp"

namespace probes {

/// What an antagonist does. All but `spin` run the same loop, one byte of each 64-byte line in turn, and
/// differ in how much memory they go round: what one costs and another does not is then the memory's doing.
enum class Antagonism {
  walk_read,   ///< reads 64 MiB
  walk_write,  ///< writes 64 MiB: lines must be owned by the core that writes, and go back to memory
  spin,        ///< multiplies in a register and touches no memory
  own_l1,      ///< reads half of its own L1 data cache
  stream_llc,  ///< reads half of its last-level cache
  stream_dram  ///< reads at least four times its last-level cache
};

inline constexpr int64_t memory_walk_bytes = int64_t{64} << 20;

/// Returns how much memory an antagonist on PU `pu` goes round, 0 for spin. Unavailable, with the reason,
/// when the caches that decide it are not reported, when half of the last-level cache would fit into the
/// cache before it, and when four times the last-level cache is more than `budget_bytes`.
harness::Reading<int64_t> antagonist_bytes(Antagonism kind, const harness::Topology& topology, int pu,
                                           int64_t budget_bytes);

/// What an antagonist has done so far: the proof that it ran.
struct Toll {
  int64_t bytes = 0;   ///< of memory, 64 for each line touched
  int64_t steps = 0;   ///< multiplications
  int64_t cpu_ns = 0;  ///< CPU time of its thread
};

/// Owns a thread, bound to one PU, that runs until this is destroyed. When the constructor returns, the
/// thread is bound and at work; what streams has gone round its memory once. Throws Error(unavailable) when
/// it cannot be bound there.
class Antagonist {
 public:
  /// `memory`: antagonist_bytes() of it; nullptr for spin. Both references must outlive this.
  Antagonist(const harness::Topology& topology, int pu, Antagonism kind, const harness::Buffer* memory);
  ~Antagonist();
  Antagonist(const Antagonist&) = delete;
  Antagonist& operator=(const Antagonist&) = delete;
  [[nodiscard]] Toll toll();

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> bytes_{0}, steps_{0};
  std::thread thread_;
};

/// Returns what is left of `count` multiplications of the spinning antagonist, starting from `value`.
uint64_t multiply_on(uint64_t value, int64_t count);

}  // namespace probes
