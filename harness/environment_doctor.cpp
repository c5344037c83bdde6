// What of this machine disturbs a measurement, and what to do about it. docs/doctor.md has one heading per
// code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/buffer.hpp"
#include "harness/environment.hpp"
#include "harness/environment_files.hpp"
#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace harness {
namespace {

DoctorLine good(const char* code, std::string finding) {
  return {Readiness::good, code, std::move(finding), ""};
}

DoctorLine warning(const char* code, std::string finding, std::string remedy) {
  return {Readiness::warning, code, std::move(finding), std::move(remedy)};
}

DoctorLine bad(const char* code, std::string finding, std::string remedy) {
  return {Readiness::bad, code, std::move(finding), std::move(remedy)};
}

DoctorLine examine_pinning(const Topology& topology) {
  const size_t allowed = allowed_pus(topology).size();
  try {
    const int pu = choose_pu(topology);
    const Pin pin(topology, pu);
    return good("pinning", fmt::format("a thread can be pinned to PU {} ({} of {} PUs are allowed)", pu,
                                       allowed, topology.pus.size()));
  } catch (const Error& error) {
    return bad("pinning", error.what(),
               "allow this process at least one CPU: `taskset -pc 0-N $$`, or the container's --cpuset-cpus");
  }
}

DoctorLine examine_governor(const Conditions& conditions, bool virtualised) {
  const auto* governor = std::get_if<std::string>(&conditions.governor);
  if (governor == nullptr) {
    return warning("governor", std::get<Unavailable>(conditions.governor).reason,
                   virtualised
                       ? "nothing in a virtual machine: the host sets the clock, and `core_clock` measures it"
                       : "load the cpufreq driver, or choose a fixed clock in the firmware");
  }
  if (*governor == "performance") return good("governor", "the frequency governor is performance");
  return warning(
      "governor",
      fmt::format("the frequency governor is {}: the clock follows the load, and first samples are slow",
                  *governor),
      "`sudo cpupower frequency-set -g performance`");
}

DoctorLine examine_turbo(const Conditions& conditions, bool virtualised, const std::string& root) {
  const auto* turbo = std::get_if<bool>(&conditions.turbo);
  if (turbo == nullptr) {
    return warning("turbo", std::get<Unavailable>(conditions.turbo).reason,
                   virtualised
                       ? "nothing in a virtual machine: the host decides, and `core_clock` measures it"
                       : "switch turbo off in the firmware if speeds drift");
  }
  if (!*turbo) return good("turbo", "turbo is off: the clock does not depend on temperature");
  const bool intel = path_exists(root + "/sys/devices/system/cpu/intel_pstate/no_turbo");
  return warning("turbo", "turbo is on: the clock depends on temperature and on what other cores do",
                 intel ? "`echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo`"
                       : "`echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost`");
}

DoctorLine examine_huge_pages(const Reading<bool>& granted) {
  const auto* value = std::get_if<bool>(&granted);
  if (value != nullptr && *value) return good("huge_pages", "huge pages are granted when asked for");
  const std::string finding =
      value == nullptr ? std::get<Unavailable>(granted).reason : "huge pages were asked for and not granted";
  return warning(
      "huge_pages", finding + ": latencies beyond the L2 include page walks",
      "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled`; if that is set, free memory");
}

DoctorLine examine_smt(const Topology& topology, int pu) {
  const auto self = std::find_if(topology.pus.begin(), topology.pus.end(),
                                 [pu](const Pu& entry) { return entry.os_index == pu; });
  if (self == topology.pus.end()) return warning("smt", "there is no PU to measure on", "see pinning");
  std::vector<int> siblings;
  for (const Pu& other : topology.pus) {
    if (other.core == self->core && other.os_index != pu) siblings.push_back(other.os_index);
  }
  if (siblings.empty()) return good("smt", fmt::format("PU {} has its core to itself", pu));
  return warning("smt",
                 fmt::format("PU {} shares its core and its L1 with PU {}", pu, fmt::join(siblings, ", ")),
                 "leave that PU idle, or `echo off | sudo tee /sys/devices/system/cpu/smt/control`");
}

DoctorLine examine_autogroup(const std::string& root) {
  if (read_first_line(root + "/proc/sys/kernel/sched_autogroup_enabled").value_or("0") != "1") {
    return good("autogroup", "the scheduler does not group by session: nice protects a measurement");
  }
  return warning("autogroup",
                 "sched_autogroup is on: each session is a group of its own, and nice does not protect it",
                 "`setsid bash`, there `sudo sh -c \"echo -20 > /proc/$$/autogroup\"`, and measure in it");
}

/// Returns the share of CPU time that was stolen since boot, or -1 when it is not told.
double stolen_share(const std::string& root) {
  const std::string stat = read_text_file(root + "/proc/stat").value_or("");
  double t[8] = {};
  if (std::sscanf(stat.c_str(), "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4, t + 5,
                  t + 6, t + 7) != 8) {
    return -1;
  }
  double total = 0;
  for (double ticks : t) total += ticks;
  return total > 0 ? t[7] / total : -1;
}

DoctorLine examine_neighbours(const Topology& topology, const Conditions& conditions,
                              const std::string& root) {
  constexpr double stolen_limit = 0.01;  // as much as samples of one launch scatter
  constexpr double waiting_limit = 5;    // %: one sample in twenty may have been disturbed
  const double stolen = stolen_share(root);
  const auto pressure = read_text_file(root + "/proc/pressure/cpu");
  const double waiting = pressure ? number_after(*pressure, "avg10=").value_or(-1) : -1;
  const auto* load = std::get_if<double>(&conditions.load1);
  const double load_limit = std::max(static_cast<double>(topology.pus.size()) - 1, 0.5);
  std::string finding = stolen < 0
                            ? "stolen time is not told"
                            : fmt::format("{:.1f} % of the CPU time was stolen since boot", stolen * 100);
  finding += waiting < 0 ? ", waiting for a CPU is not told"
                         : fmt::format(", tasks waited for a CPU in {:.0f} % of the last 10 s", waiting);
  finding += load == nullptr ? ", the load is not told"
                             : fmt::format(", load {:.2f} on {} PUs", *load, topology.pus.size());
  if (stolen < stolen_limit && waiting < waiting_limit && (load == nullptr || *load <= load_limit)) {
    return good("neighbours", finding);
  }
  return warning("neighbours", finding,
                 stolen >= stolen_limit
                     ? "measure when the host is quieter, or on a dedicated instance"
                     : "stop what else runs here (`top`), and wait until the load has fallen");
}

DoctorLine examine_pmu(const CounterSupport& counters, bool virtualised) {
  if (const auto* events = std::get_if<std::vector<std::string>>(&counters.hardware_events)) {
    return good("pmu",
                fmt::format("PAPI counts {} hardware events: {}", events->size(), fmt::join(*events, ", ")));
  }
  const std::string& reason = std::get<Unavailable>(counters.hardware_events).reason;
  if (reason.find("paranoid") != std::string::npos) {
    return warning("pmu", "no hardware counters: " + reason, "`sudo sysctl kernel.perf_event_paranoid=1`");
  }
  return warning(
      "pmu", "no hardware counters: " + reason,
      virtualised
          ? "none needed: timing does without; a host may pass its PMU on (libvirt: <pmu state='on'/>)"
          : "use a kernel with CONFIG_PERF_EVENTS and the CPU's driver; `papi_avail` shows what it sees");
}

DoctorLine examine_sde(const CounterSupport& counters) {
  if (available(counters.sde)) return good("sde", "our own events come back through PAPI");
  return bad(
      "sde", "our own events do not come back through PAPI: " + std::get<Unavailable>(counters.sde).reason,
      "install PAPI with its SDE component and libsde as a shared library (Debian: libpapi7.0, libsde1)");
}

DoctorLine examine_clock(const Clock& clock, const std::string& root) {
  constexpr int64_t coarse_ns = 1000;  // a token takes 100 µs and more: 1 % of it
  const ClockQuality quality = measure_clock(clock);
  const std::string kernel_source =
      read_first_line(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource")
          .value_or("unknown");
  const std::string finding =
      fmt::format("{} resolves {} ns and costs {} ns per read (kernel clock source {})", clock.source,
                  quality.resolution_ns, quality.overhead_ns, kernel_source);
  if (quality.resolution_ns > 0 && quality.resolution_ns <= coarse_ns && quality.overhead_ns <= coarse_ns) {
    return good("clock", finding);
  }
  return bad("clock", finding + ": too coarse to time a token",
             "`echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`");
}

DoctorLine examine_flush(const CpuFeatures& features) {
  if (features.clflushopt) return good("flush", "clflushopt evicts lines from user space");
  if (features.clflush) return good("flush", "clflush evicts lines from user space, one after the other");
  return warning(
      "flush",
      fmt::format("no user-space cache flush on this {} CPU: evict_flush is unavailable", features.arch),
      "none: use evict_read");
}

}  // namespace

std::vector<DoctorLine> examine(const Topology& topology, const CpuFeatures& features,
                                const CounterSupport& counters, const Clock& clock, const std::string& root) {
  int pu = -1;
  try {
    pu = choose_pu(topology);
  } catch (const Error&) {  // said by examine_pinning
  }
  const Conditions conditions =
      read_conditions(topology, pu, clock, read_condition_totals(clock, root), root);
  const Machine machine = read_machine(topology, features, root);
  return {examine_pinning(topology),
          examine_governor(conditions, machine.virtualised),
          examine_turbo(conditions, machine.virtualised, root),
          examine_huge_pages(machine.huge_pages_granted),
          examine_smt(topology, pu),
          examine_autogroup(root),
          examine_neighbours(topology, conditions, root),
          examine_pmu(counters, machine.virtualised),
          examine_sde(counters),
          examine_clock(clock, root),
          examine_flush(features)};
}

}  // namespace harness
