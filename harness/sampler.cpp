#include "harness/sampler.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace harness {
namespace {

int64_t involuntary_switches_now() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

int64_t time_body_ns(const Clock& clock, const std::function<void(int64_t)>& body, int64_t repeats) {
  const int64_t start_ns = clock.now_ns();
  asm volatile(""
               :
               :
               : "memory");  // the compiler may not move the body's loads and stores out of the timed part
  body(repeats);
  asm volatile("" : : : "memory");
  return clock.now_ns() - start_ns;
}

/// Returns how many repeats should last min_sample_ns, a tenth in hand, judging by a lap that was too short.
/// Grows at most tenfold at a time: the first laps are cold and tell little.
int64_t grown_repeats(int64_t repeats, int64_t lap_ns, const SamplerOptions& options) {
  const double wanted = 1.1 * static_cast<double>(repeats) * static_cast<double>(options.min_sample_ns) /
                        static_cast<double>(std::max<int64_t>(lap_ns, 1));
  const double bounded = std::min(
      {std::ceil(wanted), 10.0 * static_cast<double>(repeats), static_cast<double>(options.max_repeats)});
  return std::max(static_cast<int64_t>(bounded), std::min(repeats + 1, options.max_repeats));
}

bool agree(int64_t lap_ns, int64_t previous_ns) {
  return std::abs(lap_ns - previous_ns) * 50 <= std::max(lap_ns, previous_ns);  // within 2 %
}

/// Runs the body until two laps of the final repeat count agree, or the time is over. Returns the repeat
/// count.
int64_t warm_up(const Clock& clock, const SamplerOptions& options, const std::function<void(int64_t)>& body) {
  const int64_t end_ns = clock.now_ns() + options.max_warmup_ns;
  int64_t repeats = 1;
  int64_t previous_ns = -1;  // no lap with this repeat count yet
  while (true) {
    const int64_t lap_ns = time_body_ns(clock, body, repeats);
    if (lap_ns < options.min_sample_ns && repeats < options.max_repeats) {
      repeats = grown_repeats(repeats, lap_ns, options);
      previous_ns = -1;
      continue;
    }
    if (previous_ns >= 0 && agree(lap_ns, previous_ns)) return repeats;
    if (clock.now_ns() >= end_ns) return repeats;
    previous_ns = lap_ns;
  }
}

}  // namespace

Samples sample(const Clock& clock, const SamplerOptions& options, const std::function<void(int64_t)>& body) {
  assert(options.samples >= 0 && options.max_repeats >= 1);
  Samples samples;
  samples.durations_ns.reserve(static_cast<size_t>(options.samples));
  samples.switched.reserve(static_cast<size_t>(options.samples));
  samples.repeats = warm_up(clock, options, body);
  const Disturbance before = read_disturbance(clock);
  int64_t switches = involuntary_switches_now();
  for (int i = 0; i < options.samples; ++i) {
    samples.durations_ns.push_back(time_body_ns(clock, body, samples.repeats));
    const int64_t switches_after = involuntary_switches_now();
    if (switches_after > switches) samples.switched.push_back(i);
    switches = switches_after;
  }
  samples.disturbance = since(before, read_disturbance(clock));
  return samples;
}

}  // namespace harness
