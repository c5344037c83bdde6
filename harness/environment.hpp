// Who this machine is and in what state: the facts of `machine` and `conditions`, and the readiness checks of
// `doctor`.
#pragma once
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"

namespace harness {

/// Reads `machine`. `root` prefixes /proc, /sys, /run and /etc, so that recorded trees test it; "" is this
/// machine, and only there is memory mapped to see whether huge pages are granted.
Machine read_machine(const Topology& topology, const CpuFeatures& features, const std::string& root = "");

/// Returns the key of a machine: SHA-256 over its stable facts (arch, vendor, family, model, stepping,
/// cpu_model, cores, threads, caches, memory_gib, hypervisor). Never MHz, bogomips, kernel or affinity: keys
/// must survive a reboot.
std::string machine_key(const Machine& machine);

/// How long one PU worked since boot (/proc/stat, proc(5)): all but idle, iowait and steal.
struct PuTime {
  int pu = 0;
  int64_t busy_ns = 0;
};

/// A reading of the totals from which `conditions` takes differences.
struct ConditionTotals {
  int64_t wall_ns = 0;
  Reading<int64_t> steal_ns;     ///< /proc/stat, all CPUs
  std::vector<PuTime> pu_times;  ///< empty when not told
  Reading<int64_t> psi_some_us;  ///< /proc/pressure/cpu "some total"
  int64_t voluntary_switches = 0, involuntary_switches = 0, minor_faults = 0,
          major_faults = 0;  ///< self + children
};
ConditionTotals read_condition_totals(const Clock& clock, const std::string& root = "");

/// Returns how far totals moved from `earlier` to `later`, member by member; PUs that either lacks are left
/// out. Subtracted from later totals again, that gives the start of a run whose pauses count for nothing.
ConditionTotals difference(const ConditionTotals& later, const ConditionTotals& earlier);

/// Returns the kernel's id of this boot (/proc/sys/kernel/random/boot_id, random(4)), or "" when it does not
/// tell. It never enters a submission.
std::string boot_id(const std::string& root = "");

/// Reads `conditions` now; differences are against `start`. `smt_sibling` is busy when a sibling of the
/// pinned PU worked more than 5 % of the time, and also when the system does not tell.
Conditions read_conditions(const Topology& topology, int pinned_pu, const Clock& clock,
                           const ConditionTotals& start, const std::string& root = "");

enum class Readiness { good, warning, bad };

/// One line of `doctor`. `code` is a heading of docs/doctor.md.
struct DoctorLine {
  Readiness readiness = Readiness::good;
  std::string code, finding, remedy;  ///< one line each; remedy is "" when good
};

/// Checks, in this order: pinning, governor, turbo, huge_pages, smt, autogroup, neighbours (steal, PSI,
/// load), pmu and why not, sde (software-defined events), clock, flush. Takes about 50 ms.
std::vector<DoctorLine> examine(const Topology& topology, const CpuFeatures& features,
                                const CounterSupport& counters, const Clock& clock,
                                const std::string& root = "");

}  // namespace harness
