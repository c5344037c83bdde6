// The state of a machine during a run: what `conditions` of a submission records.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "harness/environment.hpp"
#include "harness/environment_files.hpp"
#include "harness/sampler.hpp"

namespace harness {
namespace {

int64_t tick_ns() {
  return 1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L);
}

std::vector<PuTime> parse_pu_times(const std::string& proc_stat) {
  std::vector<PuTime> times;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 4 || line.rfind("cpu", 0) != 0 || line[3] == ' ')
      continue;  // the first line is the sum
    int pu = 0;
    long long user = 0;
    long long nice = 0;
    long long system = 0;
    long long irq = 0;
    long long softirq = 0;
    if (std::sscanf(line.c_str(), "cpu%d %lld %lld %lld %*d %*d %lld %lld", &pu, &user, &nice, &system, &irq,
                    &softirq) == 6) {
      times.push_back({pu, (user + nice + system + irq + softirq) * tick_ns()});
    }
  }
  return times;
}

void add_usage(ConditionTotals& totals, int who) {
  rusage usage{};
  getrusage(who, &usage);
  totals.voluntary_switches += usage.ru_nvcsw;
  totals.involuntary_switches += usage.ru_nivcsw;
  totals.minor_faults += usage.ru_minflt;
  totals.major_faults += usage.ru_majflt;
}

Reading<std::string> read_governor(int pu, const std::string& root) {
  const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq", pu);
  const auto governor = read_first_line(root + folder + "/scaling_governor");
  if (governor) return governor->substr(0, 64);
  if (!path_exists(root + folder))
    return Unavailable{fmt::format("no cpufreq driver ({} is absent)", folder)};
  return Unavailable{fmt::format("{}/scaling_governor cannot be read", folder)};
}

Reading<bool> read_turbo(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/";
  if (const auto off = read_first_line(folder + "intel_pstate/no_turbo")) return *off == "0";
  if (const auto on = read_first_line(folder + "cpufreq/boost")) return *on == "1";
  return Unavailable{
      "no turbo switch (neither intel_pstate/no_turbo nor cpufreq/boost in /sys/devices/system/cpu)"};
}

Reading<double> read_load1(const std::string& root) {
  const auto line = read_first_line(root + "/proc/loadavg");
  const auto load = line ? number_after(*line, "") : std::nullopt;
  if (load && *load >= 0) return *load;
  return Unavailable{"/proc/loadavg cannot be read"};
}

/// Returns a difference of totals as a share of the time it was taken over, within [0, 1], or why there is
/// none.
Reading<double> share(const Reading<int64_t>& before, const Reading<int64_t>& after, double unit_ns,
                      double elapsed_ns) {
  if (!available(before)) return std::get<Unavailable>(before);
  if (!available(after)) return std::get<Unavailable>(after);
  if (elapsed_ns <= 0) return Unavailable{"no time passed"};
  const auto difference = static_cast<double>(std::get<int64_t>(after) - std::get<int64_t>(before));
  return std::clamp(difference * unit_ns / elapsed_ns, 0.0, 1.0);
}

std::string sibling_state(const Topology& topology, int pinned_pu, const ConditionTotals& start,
                          const ConditionTotals& now) {
  constexpr double busy_share = 0.05;
  const auto self = std::find_if(topology.pus.begin(), topology.pus.end(),
                                 [pinned_pu](const Pu& pu) { return pu.os_index == pinned_pu; });
  if (self == topology.pus.end()) return "none";
  const auto busy_ns = [](const ConditionTotals& totals, int pu) -> int64_t {
    for (const PuTime& time : totals.pu_times) {
      if (time.pu == pu) return time.busy_ns;
    }
    return -1;
  };
  std::string state = "none";
  for (const Pu& pu : topology.pus) {
    if (pu.core != self->core || pu.os_index == pinned_pu) continue;
    const int64_t before = busy_ns(start, pu.os_index);
    const int64_t after = busy_ns(now, pu.os_index);
    const auto limit = busy_share * static_cast<double>(now.wall_ns - start.wall_ns);
    if (before < 0 || after < 0 || static_cast<double>(after - before) > limit) return "busy";
    state = "idle";
  }
  return state;
}

}  // namespace

ConditionTotals read_condition_totals(const Clock& clock, const std::string& root) {
  ConditionTotals totals;
  totals.wall_ns = clock.now_ns();
  const std::string stat = read_text_file(root + "/proc/stat").value_or("");
  totals.pu_times = parse_pu_times(stat);
  if (const auto steal_ns = parse_steal_ns(stat, tick_ns())) {
    totals.steal_ns = *steal_ns;
  } else {
    totals.steal_ns = Unavailable{"/proc/stat tells of no stolen time"};
  }
  const auto pressure = read_text_file(root + "/proc/pressure/cpu");
  const auto some_us =
      pressure ? number_after(*pressure, "total=") : std::nullopt;  // the first line is "some"
  if (some_us) {
    totals.psi_some_us = static_cast<int64_t>(*some_us);
  } else {
    totals.psi_some_us = Unavailable{"no pressure stall information (/proc/pressure/cpu; boot with psi=1)"};
  }
  add_usage(totals, RUSAGE_SELF);
  add_usage(totals, RUSAGE_CHILDREN);
  return totals;
}

ConditionTotals difference(const ConditionTotals& later, const ConditionTotals& earlier) {
  const auto minus = [](const Reading<int64_t>& one, const Reading<int64_t>& other) -> Reading<int64_t> {
    if (!available(one)) return one;
    if (!available(other)) return other;
    return std::get<int64_t>(one) - std::get<int64_t>(other);
  };
  ConditionTotals moved;
  moved.wall_ns = later.wall_ns - earlier.wall_ns;
  moved.steal_ns = minus(later.steal_ns, earlier.steal_ns);
  moved.psi_some_us = minus(later.psi_some_us, earlier.psi_some_us);
  for (const PuTime& time : later.pu_times) {
    const auto same = std::find_if(earlier.pu_times.begin(), earlier.pu_times.end(),
                                   [&](const PuTime& other) { return other.pu == time.pu; });
    if (same != earlier.pu_times.end()) moved.pu_times.push_back({time.pu, time.busy_ns - same->busy_ns});
  }
  moved.voluntary_switches = later.voluntary_switches - earlier.voluntary_switches;
  moved.involuntary_switches = later.involuntary_switches - earlier.involuntary_switches;
  moved.minor_faults = later.minor_faults - earlier.minor_faults;
  moved.major_faults = later.major_faults - earlier.major_faults;
  return moved;
}

std::string boot_id(const std::string& root) {
  return read_first_line(root + "/proc/sys/kernel/random/boot_id").value_or("");
}

Conditions read_conditions(const Topology& topology, int pinned_pu, const Clock& clock,
                           const ConditionTotals& start, const std::string& root) {
  const ConditionTotals now = read_condition_totals(clock, root);
  const ClockQuality quality = measure_clock(clock);
  const auto elapsed_ns = static_cast<double>(now.wall_ns - start.wall_ns);
  const auto pus = static_cast<double>(std::max<size_t>(topology.pus.size(), 1));
  Conditions conditions;
  const int first_pu = topology.pus.empty() ? 0 : topology.pus.front().os_index;
  conditions.governor = read_governor(pinned_pu >= 0 ? pinned_pu : first_pu, root);
  conditions.turbo = read_turbo(root);
  conditions.pinned_pu = pinned_pu;
  conditions.smt_sibling = sibling_state(topology, pinned_pu, start, now);
  conditions.load1 = read_load1(root);
  conditions.steal_ratio = share(start.steal_ns, now.steal_ns, 1, elapsed_ns * pus);
  conditions.psi_cpu_some = share(start.psi_some_us, now.psi_some_us, 1000, elapsed_ns);
  conditions.clock_source = clock.source;
  conditions.clock_resolution_ns = quality.resolution_ns;
  conditions.clock_overhead_ns = quality.overhead_ns;
  conditions.voluntary_switches = now.voluntary_switches - start.voluntary_switches;
  conditions.involuntary_switches = now.involuntary_switches - start.involuntary_switches;
  conditions.minor_faults = now.minor_faults - start.minor_faults;
  conditions.major_faults = now.major_faults - start.major_faults;
  return conditions;
}

}  // namespace harness
