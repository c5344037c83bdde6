// Samples a body at each working-set size and writes the curve into a series: what all memory probes share.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/sampler.hpp"
#include "harness/submission.hpp"
#include "probes/evidence.hpp"
#include "probes/probe.hpp"

namespace probes {

/// What a probe does at one size. Only `work` is timed.
struct SweepBody {
  std::string work_unit;              ///< "bytes" | "loads"
  int64_t min_sample_ns = 2'000'000;  ///< long against the clock, short against a scheduler's time slice
  std::function<void(int64_t size_bytes)> begin;  ///< once per size: prepares data
  std::function<void(int64_t size_bytes)>
      refresh;  ///< before every sample: brings back the lines that others evicted
  std::function<void(int64_t size_bytes, int64_t repeats)> work;
  std::function<int64_t(int64_t size_bytes)> units_per_repeat;
  /// Called after every sample with the repeats it made: returns whether its result was right.
  std::function<bool(int64_t repeats)> verify;
};

/// Takes context.samples samples at each of `sizes_bytes` (ascending), the sizes in seeded random order so
/// that drift is not read as an effect of size. Fills sizes_bytes, work_per_sample, work_unit,
/// samples_by_size, disturbed and totals of `series`. The index of a disturbed sample is (index of its size)
/// × samples + (index of the sample). A wrong result makes the series `failed`.
void sweep(const ProbeContext& context, const std::vector<int64_t>& sizes_bytes, const SweepBody& body,
           harness::Series& series);

/// Returns the sizes to sweep: the caller's when given, else working_sets() of this machine up to the memory
/// budget. Throws Error(usage) for a size that is no positive multiple of 512 bytes; Unavailable when a size
/// that was asked for exceeds the budget.
harness::Reading<std::vector<int64_t>> sweep_sizes(const ProbeContext& context, int64_t budget_bytes);

/// Returns a series that says why there is nothing.
harness::Series unavailable_series(const std::string& probe, const std::string& reason);

}  // namespace probes
