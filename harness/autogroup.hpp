// The scheduling group of a session: what nice cannot reach where sched_autogroup is on.
#pragma once
#include <cstdint>
#include <string>

#include "harness/error.hpp"

namespace harness {

/// Raises the nice value of this session's scheduling group to -20 and returns what the kernel then tells
/// (sched(7), "The autogroup feature"; /proc/self/autogroup, proc(5)). Call it in a session of one's own: all
/// processes of the session share the group. Unavailable with the reason when the kernel does not group by
/// session or refuses. `root` prefixes /proc.
Reading<int64_t> raise_autogroup(const std::string& root = "");

}  // namespace harness
