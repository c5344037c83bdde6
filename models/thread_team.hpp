// The threads that decode one token together.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "harness/topology.hpp"

namespace models {

/// Owns a team: its creator, which is member 0, and a thread for each further member. Between runs and at
/// barriers they spin, so that none needs a system call to go on; one that has spun for long yields its CPU
/// (sched_yield), so that a machine with fewer CPUs than members goes on, too. Made for a handful of members:
/// each watches every other's cache line.
class ThreadTeam {
 public:
  /// Binds member i > 0 to pus[i]; the caller is bound to pus[0] already. Throws Error(unavailable) when a
  /// PU is not to be had.
  ThreadTeam(const harness::Topology& topology, const std::vector<int>& pus);
  /// Makes a team of `size` that is bound nowhere: for tests.
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }

  /// What a member does; a plain function, so that a run allocates nothing.
  using Work = void (*)(void* context, int member);
  /// Calls work(context, member) on every member, and returns when all are done. For member 0.
  void run(Work work, void* context);
  /// Waits within a run until every member has come here: what a member wrote before, all read afterwards.
  void wait(int member);
  /// Returns to how many barriers member 0 has come, the beginning and the end of each run included; wraps.
  [[nodiscard]] uint32_t barriers() const;
  /// Returns how often members yielded while they waited: none did where each has a CPU of its own.
  [[nodiscard]] int64_t yields() const;
  /// Returns the CPU time of each member but the first, in ns since it began; 0 when it is not told.
  [[nodiscard]] std::vector<int64_t> worker_cpu_ns() const;

 private:
  /// Two lines: adjacent ones are prefetched in pairs (Intel Optimization Reference Manual, spatial
  /// prefetcher).
  struct alignas(128) Slot {
    std::atomic<uint32_t> arrivals{0};  ///< written by its member alone; wraps
    std::atomic<int64_t> yields{0};
  };

  void start(int member, const harness::Topology* topology, int pu);
  void serve(int member);
  void stop();

  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
  Work work_ = nullptr;  ///< null: the team ends
  void* context_ = nullptr;
  int spins_ = 0;  ///< before a member yields
};

}  // namespace models
