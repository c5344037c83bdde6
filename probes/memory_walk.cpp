#include "probes/memory_walk.hpp"

#include <fmt/format.h>

#include <exception>
#include <future>

#include "harness/pinning.hpp"

namespace probes {
namespace {

constexpr int64_t line_bytes = 64;
constexpr int64_t lines_between_checks = 1024;

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

void walk_as(Walk walk, const harness::Buffer& buffer, const std::atomic<bool>& stop,
             std::atomic<int64_t>& walked_bytes) {
  if (walk == Walk::read) {
    walk_lines(buffer, stop, walked_bytes,
               [](volatile char& byte) { [[maybe_unused]] const char got = byte; });
  } else {
    walk_lines(buffer, stop, walked_bytes, [](volatile char& byte) { byte = 0; });
  }
}

}  // namespace

MemoryWalk::MemoryWalk(const harness::Topology& topology, int pu, const harness::Buffer& buffer, Walk walk) {
  std::promise<void> bound;
  std::future<void> is_bound = bound.get_future();
  thread_ = std::thread([this, &topology, pu, &buffer, walk, promise = std::move(bound)]() mutable {
    try {
      const harness::Pin pin(topology, pu);
      promise.set_value();
      walk_as(walk, buffer, stop_, walked_bytes_);
    } catch (const harness::Error&) {
      promise.set_exception(std::current_exception());
    }
  });
  try {
    is_bound.get();
    while (walked_bytes() == 0) std::this_thread::yield();
  } catch (...) {
    thread_.join();
    throw;
  }
}

MemoryWalk::~MemoryWalk() {
  stop_.store(true, std::memory_order_relaxed);
  thread_.join();
}

harness::Reading<Neighbour> nearest_neighbour(const harness::Topology& topology, int pu) {
  for (const char* placement : {"sibling", "same_llc", "other_llc"}) {
    const int found = harness::neighbour_pu(topology, pu, placement);
    if (found >= 0) return Neighbour{found, placement};
  }
  if (harness::allowed_pus(topology).size() < 2) {
    return harness::Unavailable{"only one PU is allowed: the antagonist needs one of its own"};
  }
  return harness::Unavailable{fmt::format(
      "no allowed PU whose place relative to PU {} is known (no last-level cache is reported)", pu)};
}

}  // namespace probes
