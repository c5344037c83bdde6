// Counts what must not happen inside a token, by standing in front of the C library's functions. For the one
// test executable that links counted_calls.cpp: its malloc is every malloc of the process.
#pragma once

namespace models {

struct CallCounts {
  long allocations =
      0;           ///< malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign; new calls malloc
  long locks = 0;  ///< pthread mutexes and read-write locks
};

/// Returns the counts since the process began, of all threads.
CallCounts counted_calls();

}  // namespace models
