// Takes samples of a body: warms up, then times, and records what disturbed it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/clock.hpp"

namespace harness {

/// What else happened on this thread while something was timed (getrusage(RUSAGE_THREAD), /proc/stat steal).
struct Disturbance {
  int64_t involuntary_switches = 0;
  int64_t voluntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
  int64_t steal_ns = 0;  ///< whole machine
};

/// Reads this thread's totals now; subtract two readings with `since`. What the system does not tell is 0.
Disturbance read_disturbance(const Clock& clock);
Disturbance since(const Disturbance& before, const Disturbance& now);

/// Returns the stolen time of all CPUs from the text of /proc/stat (proc(5): 8th number of the line "cpu"),
/// given the length of one tick, or nullopt when it is not told.
std::optional<int64_t> parse_steal_ns(std::string_view proc_stat, int64_t tick_ns);

struct SamplerOptions {
  int samples = 5;
  int64_t min_sample_ns = 200'000;     ///< a sample repeats the body until it lasts at least this long …
  int64_t max_warmup_ns = 50'000'000;  ///< warm-up ends when two laps agree within 2 %, or after this
  int64_t max_repeats = 1 << 20;
};

struct Samples {
  int64_t repeats = 0;                ///< body calls per sample, the same for every sample
  std::vector<int64_t> durations_ns;  ///< one per sample, in acquisition order; nothing is discarded
  Disturbance disturbance;            ///< over all samples
  std::vector<int>
      switched;  ///< indices of samples during which this thread was switched out against its will
};

/// Times `body(repeats)`, which must do its work `repeats` times. The repeat count is found during the
/// warm-up. System calls that record disturbances lie outside the timed part; the cost of reading the clock
/// is not subtracted.
Samples sample(const Clock& clock, const SamplerOptions& options, const std::function<void(int64_t)>& body);

}  // namespace harness
