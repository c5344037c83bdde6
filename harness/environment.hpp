// Who this machine is and in what state: the facts of `machine` and `conditions`, and the readiness checks of `doctor`.
#pragma once
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/counters.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"

namespace harness {

/// Reads `machine`. `root` prefixes /proc, /sys and /etc, so that recorded trees test it; "" is this machine.
Machine read_machine(const Topology& topology, const CpuFeatures& features, const std::string& root = "");

/// Returns the key of a machine: SHA-256 over its stable facts (arch, vendor, family, model, stepping, cpu_model,
/// cores, threads, caches, memory_gib, hypervisor). Never MHz, bogomips, kernel or affinity: keys must survive a reboot.
std::string machine_key(const Machine& machine);

/// A reading of the totals from which `conditions` takes differences.
struct ConditionTotals {
  int64_t wall_ns = 0;
  Reading<int64_t> steal_ns;     ///< /proc/stat, all CPUs
  Reading<int64_t> psi_some_us;  ///< /proc/pressure/cpu "some total"
  int64_t voluntary_switches = 0, involuntary_switches = 0, minor_faults = 0, major_faults = 0;  ///< self + children
};
ConditionTotals read_condition_totals(const Clock& clock, const std::string& root = "");

/// Reads `conditions` now; differences are against `start`.
Conditions read_conditions(const Topology& topology, int pinned_pu, const Clock& clock, const ConditionTotals& start,
                           const std::string& root = "");

enum class Readiness { good, warning, bad };

/// One line of `doctor`. `code` is a heading of docs/doctor.md.
struct DoctorLine {
  Readiness readiness = Readiness::good;
  std::string code, finding, remedy;  ///< remedy is "" when good
};

/// Checks pinning, governor, turbo, huge pages granted, SMT, autogroup, neighbours (steal, PSI, load), PMU and why not,
/// clock, software-defined events.
std::vector<DoctorLine> examine(const Topology& topology, const CpuFeatures& features, const CounterSupport& counters,
                                const Clock& clock, const std::string& root = "");

}  // namespace harness
