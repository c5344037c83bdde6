// What else happened on this thread and this machine while something was timed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/clock.hpp"

namespace harness {

/// Totals of this thread, or their difference over a time: getrusage(RUSAGE_THREAD),
/// CLOCK_THREAD_CPUTIME_ID, /proc/stat steal.
struct Disturbance {
  int64_t involuntary_switches = 0;
  int64_t voluntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
  int64_t steal_ns = 0;        ///< whole machine
  double clock_before_hz = 0;  ///< of the core; 0: not known here, or not looked at
  double clock_after_hz = 0;
};

/// Reads this thread's totals now; subtract two readings with `since`. What the system does not tell is 0.
/// Does not look at the core's clock.
Disturbance read_disturbance(const Clock& clock);
/// The same without the steal, for which a file must be read: three system calls, about 1 µs.
Disturbance read_thread_disturbance(const Clock& clock);
Disturbance since(const Disturbance& before, const Disturbance& now);

/// Watches one sample. All it costs lies outside the sample, and reading the files of the system lies outside
/// what the thread is charged for. The constructor and stop() take about 20 µs each.
class DisturbanceWatch {
 public:
  explicit DisturbanceWatch(const Clock& clock);
  /// Returns what happened since construction, the core's clock at both ends included.
  [[nodiscard]] Disturbance stop() const;

 private:
  Clock clock_;
  Disturbance before_;
};

/// A thread that had its CPU for less than this share of a sample waited for it, or for a fault.
inline constexpr double least_cpu_share = 0.95;
/// Two looks at a steady core clock agree within 1 %; boost steps are 25 MHz or more, about 1 % of a clock.
inline constexpr double most_clock_drift = 0.03;

/// Returns the reason codes of what happened during a sample, ascending; empty when nothing did:
/// "clock_drift" core clock after ÷ before differs from 1 by more than most_clock_drift ·
/// "cpu_wall" CPU time ÷ wall time below least_cpu_share · "involuntary_switch" · "major_fault" ·
/// "minor_fault" · "steal" the hypervisor took time from the machine.
std::vector<std::string> disturbance_reasons(const Disturbance& during);

/// Returns the stolen time of all CPUs from the text of /proc/stat (proc(5): 8th number of the line "cpu"),
/// given the length of one tick, or nullopt when it is not told.
std::optional<int64_t> parse_steal_ns(std::string_view proc_stat, int64_t tick_ns);

}  // namespace harness
