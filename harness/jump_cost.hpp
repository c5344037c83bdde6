// What it costs to begin a chunk: from how long chunks of several sizes take. Pure, so that whoever receives
// a submission recomputes it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/error.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// Time per chunk = jump_ns + chunk bytes ÷ read_bytes_per_s.
struct JumpCost {
  Interval jump_ns;           ///< may be negative: then chunks begin at no cost that this line can show
  Interval read_bytes_per_s;  ///< what remains when chunks are long
  double misfit_ratio = 0;    ///< largest relative distance of a size's median time from the line
};

/// Fits a line through the times of chunks, in least squares of relative distances: the j-th samples of all
/// sizes give one line, and the intervals are 95 % t intervals over these lines (with one sample per size
/// they have no width). samples_by_size[i][j] is the ns of the j-th sample at chunk_bytes[i], in which
/// work_per_sample[i] bytes were read. Unavailable with fewer than three sizes or one that has no sample,
/// when sizes or durations are not positive, and when the time does not grow with the size.
Reading<JumpCost> fit_jump_cost(std::span<const int64_t> chunk_bytes,
                                std::span<const int64_t> work_per_sample,
                                std::span<const std::vector<int64_t>> samples_by_size);

}  // namespace harness
