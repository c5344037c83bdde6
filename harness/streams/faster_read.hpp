// Which of a table's read loops is the faster one on some data.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "harness/streams/streams.hpp"

namespace harness {

/// Returns `read` or `read_ahead` of the table, whichever has the shorter median of trial laps over [data,
/// data + bytes): both in turn, every other round in the mirrored order, each trial at least 0.1 ms or one
/// lap long. The trials are no samples: whoever times the loop does so anew, and does not inherit their luck.
/// Without a prefetching loop it is `read`, untried.
ReadLoop faster_read(const Streams& table, const void* data, size_t bytes);

/// The same for reads that are no lap over one piece of memory: `read` makes `passes` of them with a loop and
/// returns their XOR.
ReadLoop faster_read(const Streams& table,
                     const std::function<uint64_t(ReadLoop loop, int64_t passes)>& read);

}  // namespace harness
