#include "probes/antagonist.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <ctime>

#include "harness/bound_thread.hpp"

namespace probes {
namespace {

using harness::Unavailable;

constexpr int64_t line_bytes = 64;
constexpr int64_t lines_between_checks = 1024;
constexpr int64_t steps_between_checks = 4096;
/// STREAM's rule (McCalpin, "each array must be at least four times the size of the last-level cache"), and
/// what the probe dram_stream reads at least.
constexpr int64_t caches_worth = 4, min_dram_bytes = int64_t{256} << 20;
/// Odd: no number of multiplications makes it 0. From MMIX' linear congruential generator (Knuth).
constexpr uint64_t multiplier = 6364136223846793005;

/// Calls `touch` with one byte of each line in turn.
template <class Touch>
void walk_lines(const harness::Buffer& buffer, const std::atomic<bool>& stop,
                std::atomic<int64_t>& walked_bytes, const Touch& touch) {
  // Volatile: the loads and stores are the purpose.
  auto* const data = reinterpret_cast<volatile char*>(buffer.data());
  const auto lines = static_cast<int64_t>(buffer.bytes()) / line_bytes;
  int64_t line = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    for (int64_t i = 0; i < lines_between_checks; ++i) {
      touch(data[line * line_bytes]);
      if (++line == lines) line = 0;
    }
    walked_bytes.fetch_add(lines_between_checks * line_bytes, std::memory_order_relaxed);
  }
}

void spin(const std::atomic<bool>& stop, std::atomic<int64_t>& steps) {
  uint64_t value = 1;
  while (!stop.load(std::memory_order_relaxed)) {
    value = multiply_on(value, steps_between_checks);
    steps.fetch_add(steps_between_checks, std::memory_order_relaxed);
  }
}

/// How much must be done before the antagonist counts as running. Streams must lie where they belong; the
/// walks are the published antagonist, which waited for nothing.
int64_t first_bytes(Antagonism kind, const harness::Buffer* memory) {
  const bool streams = kind == Antagonism::stream_llc || kind == Antagonism::stream_dram;
  return streams ? static_cast<int64_t>(memory->bytes()) : 1;
}

harness::Reading<int64_t> l1_share_bytes(const harness::Topology& topology, int pu) {
  const harness::Cache* l1 = harness::find_cache(topology, 1, pu);
  if (l1 == nullptr || l1->bytes == 0)
    return Unavailable{fmt::format("the L1 data cache of PU {} is not reported", pu)};
  return static_cast<int64_t>(l1->bytes) / 2 / line_bytes * line_bytes;
}

harness::Reading<int64_t> llc_share_bytes(const harness::Topology& topology, int pu) {
  const harness::Cache* llc = harness::last_level_cache(topology, pu);
  if (llc == nullptr || llc->bytes == 0)
    return Unavailable{fmt::format("no last-level cache of PU {} is reported", pu)};
  const auto half = static_cast<int64_t>(llc->bytes) / 2 / line_bytes * line_bytes;
  for (int level = llc->level - 1; level > 0; --level) {
    const harness::Cache* inner = harness::find_cache(topology, level, pu);
    if (inner == nullptr) continue;
    if (half > static_cast<int64_t>(inner->bytes)) return half;
    return Unavailable{
        fmt::format("half of the last-level cache, {} bytes, would stay in the L{} of {} bytes", half, level,
                    inner->bytes)};
  }
  return Unavailable{fmt::format("no cache before the last level of PU {} is reported", pu)};
}

harness::Reading<int64_t> beyond_llc_bytes(const harness::Topology& topology, int pu, int64_t budget_bytes) {
  const harness::Cache* llc = harness::last_level_cache(topology, pu);
  if (llc == nullptr || llc->bytes == 0)
    return Unavailable{fmt::format("no last-level cache of PU {} is reported", pu)};
  const int64_t wanted = std::max(caches_worth * static_cast<int64_t>(llc->bytes), min_dram_bytes);
  if (wanted <= budget_bytes) return wanted;
  return Unavailable{
      fmt::format("streaming memory takes {} bytes (at least four times the last-level cache), "
                  "of which {} may be taken here",
                  wanted, budget_bytes)};
}

}  // namespace

uint64_t multiply_on(uint64_t value, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    value *= multiplier;
    asm volatile("" : "+r"(value));  // one multiplication each: the compiler must not merge them
  }
  return value;
}

harness::Reading<int64_t> antagonist_bytes(Antagonism kind, const harness::Topology& topology, int pu,
                                           int64_t budget_bytes) {
  switch (kind) {
    case Antagonism::walk_read:
    case Antagonism::walk_write:
      return memory_walk_bytes;
    case Antagonism::own_l1:
      return l1_share_bytes(topology, pu);
    case Antagonism::stream_llc:
      return llc_share_bytes(topology, pu);
    case Antagonism::stream_dram:
      return beyond_llc_bytes(topology, pu, budget_bytes);
    case Antagonism::spin:
      break;
  }
  return int64_t{0};
}

Antagonist::Antagonist(const harness::Topology& topology, int pu, Antagonism kind,
                       const harness::Buffer* memory) {
  thread_ = harness::start_bound_thread(topology, pu, [this, kind, memory] {
    if (kind == Antagonism::spin) {
      spin(stop_, steps_);
    } else if (kind == Antagonism::walk_write) {
      walk_lines(*memory, stop_, bytes_, [](volatile char& byte) { byte = 0; });
    } else {
      walk_lines(*memory, stop_, bytes_, [](volatile char& byte) { [[maybe_unused]] const char got = byte; });
    }
  });
  const auto at_work = [&] {
    if (kind == Antagonism::spin) return steps_.load(std::memory_order_relaxed) > 0;
    return bytes_.load(std::memory_order_relaxed) >= first_bytes(kind, memory);
  };
  while (!at_work()) std::this_thread::yield();
}

Antagonist::~Antagonist() {
  stop_.store(true, std::memory_order_relaxed);
  thread_.join();
}

Toll Antagonist::toll() {
  Toll toll{bytes_.load(std::memory_order_relaxed), steps_.load(std::memory_order_relaxed), 0};
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread_.native_handle(), &clock) == 0 && clock_gettime(clock, &time) == 0)
    toll.cpu_ns = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  return toll;
}

}  // namespace probes
