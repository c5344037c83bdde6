#include "harness/bench/counted.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace bench {
namespace {

void say_once(const std::string& counter, const std::string& reason) {
  static std::set<std::string> said;
  if (said.insert(counter).second)
    fmt::print(stderr, "tokroof_bench: counter {} is unavailable: {}\n", counter, reason);
}

}  // namespace

harness::Counters& counters() {
  static harness::Counters instance;
  return instance;
}

void publish_work(int64_t calls, const Work& work) {
  harness::WorkCounts& counts = harness::work_counts();
  counts.bytes_streamed += calls * work.bytes;
  counts.macs += calls * work.macs;
}

void report(benchmark::State& state, const Work& work, const harness::CounterValues& counted) {
  state.SetBytesProcessed(state.iterations() * work.bytes);
  if (work.weights > 0) {
    state.counters["weights"] = benchmark::Counter(static_cast<double>(state.iterations() * work.weights),
                                                   benchmark::Counter::kIsRate);
  }
  for (const auto& [name, reading] : counted) {
    if (const auto* unavailable = std::get_if<harness::Unavailable>(&reading)) {
      say_once(name, unavailable->reason);
      continue;
    }
    const int64_t count = std::get<int64_t>(reading);
    if (count == 0) continue;  // an event that this operation does not have
    state.counters[name] = benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
  }
}

}  // namespace bench
