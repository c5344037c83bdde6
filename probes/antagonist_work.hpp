// The proof that an antagonist ran: what it did while something else was measured.
#pragma once
#include <cstdint>

#include "harness/submission.hpp"
#include "probes/antagonist.hpp"

namespace probes {

/// What an antagonist did, and how long that took, over all samples of a series.
struct Work {
  Toll done;
  int64_t wall_ns = 0;
};

/// Adds what was done from `before` to `after`, in `wall_ns`.
void add_work(Work& work, const Toll& before, const Toll& after, int64_t wall_ns);

/// Writes into a series' params how fast its antagonist worked (antagonist_bytes_per_s or
/// antagonist_steps_per_s), how much it touched (walked_bytes) and which share of the time it had its PU
/// (antagonist_cpu_ratio, to three digits). Nothing without time.
void store_work(harness::Series& series, const Work& work);

}  // namespace probes
