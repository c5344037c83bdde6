#include "harness/clock.hpp"

#include <time.h>

#include <algorithm>
#include <cassert>
#include <vector>

namespace harness {
namespace {

template <clockid_t id>
int64_t read_clock(void* /*context*/) {
  timespec time{};
  clock_gettime(id, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Clock steady_clock() {
  timespec time{};
  if (clock_gettime(CLOCK_MONOTONIC_RAW, &time) == 0) {
    return {&read_clock<CLOCK_MONOTONIC_RAW>, nullptr, "CLOCK_MONOTONIC_RAW"};
  }
  return {&read_clock<CLOCK_MONOTONIC>, nullptr, "CLOCK_MONOTONIC"};
}

ClockQuality measure_clock(const Clock& clock) {
  assert(clock.read_ns != nullptr);
  constexpr int64_t span_ns = 1'000'000;
  constexpr size_t max_reads = 1'000'000;  // about 20 ms of reads: also sees the tick of a 4 ms jiffy clock
  std::vector<int64_t> costs_ns;
  costs_ns.reserve(1 << 16);
  int64_t resolution_ns = 0;
  const int64_t start_ns = clock.now_ns();
  int64_t before_ns = start_ns;
  while (costs_ns.size() < max_reads && (resolution_ns == 0 || before_ns - start_ns < span_ns)) {
    const int64_t now_ns = clock.now_ns();
    const int64_t cost_ns = now_ns - before_ns;
    costs_ns.push_back(cost_ns);
    if (cost_ns > 0 && (resolution_ns == 0 || cost_ns < resolution_ns)) resolution_ns = cost_ns;
    before_ns = now_ns;
  }
  const auto middle = costs_ns.begin() + static_cast<std::ptrdiff_t>(costs_ns.size() / 2);
  std::nth_element(costs_ns.begin(), middle, costs_ns.end());
  const auto reads = static_cast<int64_t>(costs_ns.size());
  const int64_t mean_ns = (before_ns - start_ns + reads - 1) / reads;
  return {resolution_ns, std::max<int64_t>(*middle > 0 ? *middle : mean_ns, 1)};
}

}  // namespace harness
