#include "harness/disturbance.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "harness/cycle_chain.hpp"

namespace harness {
namespace {

/// Reads the first line alone, without a stream's allocation: an allocation can fault.
int64_t read_steal_ns() {
  const int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 256> text{};
  const ssize_t bytes = read(file, text.data(), text.size());
  close(file);
  if (bytes <= 0) return 0;
  return parse_steal_ns({text.data(), static_cast<size_t>(bytes)},
                        1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L))
      .value_or(0);
}

int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<int64_t> parse_steal_ns(std::string_view proc_stat, int64_t tick_ns) {
  const std::string line(proc_stat.substr(0, proc_stat.find('\n')));
  long long steal_ticks = 0;
  if (line.rfind("cpu ", 0) != 0) return std::nullopt;  // sscanf alone would take "cpu0" for "cpu 0"
  if (std::sscanf(line.c_str(), "cpu %*u %*u %*u %*u %*u %*u %*u %lld", &steal_ticks) != 1)
    return std::nullopt;
  return steal_ticks * tick_ns;
}

Disturbance read_thread_disturbance(const Clock& clock) {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  Disturbance now;
  now.involuntary_switches = usage.ru_nivcsw;
  now.voluntary_switches = usage.ru_nvcsw;
  now.minor_faults = usage.ru_minflt;
  now.major_faults = usage.ru_majflt;
  now.cpu_ns = thread_cpu_ns();
  now.wall_ns = clock.now_ns();
  return now;
}

Disturbance read_disturbance(const Clock& clock) {
  Disturbance now = read_thread_disturbance(clock);
  now.steal_ns = read_steal_ns();
  return now;
}

Disturbance since(const Disturbance& before, const Disturbance& now) {
  return {now.involuntary_switches - before.involuntary_switches,
          now.voluntary_switches - before.voluntary_switches,
          now.minor_faults - before.minor_faults,
          now.major_faults - before.major_faults,
          now.cpu_ns - before.cpu_ns,
          now.wall_ns - before.wall_ns,
          now.steal_ns - before.steal_ns,
          before.clock_before_hz,
          now.clock_after_hz};
}

DisturbanceWatch::DisturbanceWatch(const Clock& clock) : clock_(clock) {
  const int64_t steal_ns = read_steal_ns();
  const double clock_hz = read_core_clock_hz();
  before_ = read_thread_disturbance(clock_);
  before_.steal_ns = steal_ns;
  before_.clock_before_hz = clock_hz;
}

Disturbance DisturbanceWatch::stop() const {
  Disturbance now = read_thread_disturbance(clock_);
  now.clock_after_hz = read_core_clock_hz();
  now.steal_ns = read_steal_ns();
  return since(before_, now);
}

std::vector<std::string> disturbance_reasons(const Disturbance& during) {
  std::vector<std::string> reasons;
  if (during.clock_before_hz > 0 && during.clock_after_hz > 0 &&
      std::abs(during.clock_after_hz / during.clock_before_hz - 1) > most_clock_drift)
    reasons.emplace_back("clock_drift");
  if (static_cast<double>(during.cpu_ns) < least_cpu_share * static_cast<double>(during.wall_ns))
    reasons.emplace_back("cpu_wall");
  if (during.involuntary_switches > 0) reasons.emplace_back("involuntary_switch");
  if (during.major_faults > 0) reasons.emplace_back("major_fault");
  if (during.minor_faults > 0) reasons.emplace_back("minor_fault");
  if (during.steal_ns > 0) reasons.emplace_back("steal");
  return reasons;
}

}  // namespace harness
