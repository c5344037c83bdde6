// Which of a machine's kinds of cores a document speaks of.
#pragma once
#include "harness/submission.hpp"
#include "harness/topology.hpp"

namespace harness {

/// Moves the core kind of a PU to the front of `machine.core_kinds`, and within each level the caches that it
/// sees to the front of `machine.caches`: what is derived for "the" core is then about the one that is
/// measured, also where a cgroup allows the second kind alone. Leaves machine_key as it is, and everything
/// when the PU is not of the topology that the machine was read from.
void put_measured_first(Machine& machine, const Topology& topology, int pu_os_index);

}  // namespace harness
