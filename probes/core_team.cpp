#include "probes/core_team.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "harness/pinning.hpp"

namespace probes {
namespace {

/// Lets threads go when all of them have come. One that failed comes, too, so that nobody waits for it.
class StartLine {
 public:
  explicit StartLine(size_t threads) : missing_(threads) {}
  /// Comes in the place of a thread that could not be started.
  void give_up() {
    failed_.store(true);
    missing_.fetch_sub(1);
  }
  /// Returns whether all came without failure.
  bool wait(bool failed) {
    if (failed) failed_.store(true);
    missing_.fetch_sub(1);
    // Spins, so that all see the start within a cache miss; yields now and then where cores are fewer.
    constexpr int spins_before_yield = 100'000;
    for (int spins = 0; missing_.load() > 0; ++spins) {
      if (spins % spins_before_yield == spins_before_yield - 1) std::this_thread::yield();
    }
    return !failed_.load();
  }

 private:
  std::atomic<size_t> missing_;
  std::atomic<bool> failed_{false};
};

struct Turn {
  int64_t start_ns = 0, end_ns = 0;
  harness::Disturbance disturbance;
  std::exception_ptr error;
};

void add(harness::Disturbance& sum, const harness::Disturbance& each) {
  sum.involuntary_switches += each.involuntary_switches;
  sum.voluntary_switches += each.voluntary_switches;
  sum.minor_faults += each.minor_faults;
  sum.major_faults += each.major_faults;
  sum.cpu_ns += each.cpu_ns;
  sum.wall_ns += each.wall_ns;
  sum.steal_ns = std::max(sum.steal_ns, each.steal_ns);  // that of the machine, seen by each
  // The clocks are those of the core whose clock changed most.
  const auto drift = [](const harness::Disturbance& during) {
    return during.clock_before_hz > 0 && during.clock_after_hz > 0
               ? std::abs(std::log(during.clock_after_hz / during.clock_before_hz))
               : -1;
  };
  if (drift(each) > drift(sum)) {
    sum.clock_before_hz = each.clock_before_hz;
    sum.clock_after_hz = each.clock_after_hz;
  }
}

}  // namespace

std::vector<int> one_pu_per_core(const harness::Topology& topology) {
  std::set<int> cores;
  std::vector<int> pus;
  for (const harness::Pu& pu : topology.pus) {
    if (pu.allowed && cores.insert(pu.core).second) pus.push_back(pu.os_index);
  }
  return pus;
}

int64_t llc_total_bytes(const harness::Topology& topology, const std::vector<int>& pus) {
  std::set<int> seen;
  int64_t bytes = 0;
  for (const harness::Pu& pu : topology.pus) {
    if (std::find(pus.begin(), pus.end(), pu.os_index) == pus.end()) continue;
    const harness::Cache* llc = harness::last_level_cache(topology, pu.os_index);
    if (llc != nullptr && seen.insert(pu.llc).second) bytes += static_cast<int64_t>(llc->bytes);
  }
  return bytes;
}

TeamRound run_together(const harness::Topology& topology, const std::vector<int>& pus,
                       const harness::Clock& clock, const std::function<void(size_t)>& prepare,
                       const std::function<void(size_t)>& timed) {
  StartLine line(pus.size());
  std::vector<Turn> turns(pus.size());
  const auto take_turn = [&](size_t i) {
    Turn& turn = turns[i];
    std::unique_ptr<harness::Pin> pin;
    std::optional<harness::DisturbanceWatch> watch;
    try {
      pin = std::make_unique<harness::Pin>(topology, pus[i]);
      prepare(i);
      watch.emplace(clock);
    } catch (const std::exception&) {
      turn.error = std::current_exception();
    }
    if (!line.wait(turn.error != nullptr)) return;
    turn.start_ns = clock.now_ns();
    timed(i);
    turn.end_ns = clock.now_ns();
    turn.disturbance = watch->stop();
  };
  std::vector<std::thread> threads;
  try {
    for (size_t i = 0; i < pus.size(); ++i) threads.emplace_back(take_turn, i);
  } catch (const std::system_error&) {  // nobody may wait for those that never came
    for (size_t i = threads.size(); i < pus.size(); ++i) line.give_up();
    for (std::thread& thread : threads) thread.join();
    throw;
  }
  for (std::thread& thread : threads) thread.join();
  TeamRound round;
  int64_t first_ns = INT64_MAX, last_start_ns = INT64_MIN, last_end_ns = INT64_MIN;
  for (const Turn& turn : turns) {
    if (turn.error) std::rethrow_exception(turn.error);
    first_ns = std::min(first_ns, turn.start_ns);
    last_start_ns = std::max(last_start_ns, turn.start_ns);
    last_end_ns = std::max(last_end_ns, turn.end_ns);
    add(round.disturbance, turn.disturbance);
  }
  round.wall_ns = last_end_ns - first_ns;
  round.start_skew_ns = last_start_ns - first_ns;
  return round;
}

}  // namespace probes
