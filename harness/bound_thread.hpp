// Threads that are bound before anybody relies on where they run.
#pragma once
#include <functional>
#include <thread>

#include "harness/topology.hpp"

namespace harness {

/// Starts a thread that runs `work` bound to one PU, and returns once it is bound; the topology must outlive
/// the thread. Throws what Pin throws (harness/pinning.hpp), and then there is no thread. `work` must not
/// throw.
std::thread start_bound_thread(const Topology& topology, int pu_os_index, std::function<void()> work);

}  // namespace harness
