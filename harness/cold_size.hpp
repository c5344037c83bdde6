// How much foreign memory must be read until nothing of a set is left in the caches: judged from the time of
// the first lap over the set. Pure functions, so that whoever receives a submission recomputes the answer.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/error.hpp"
#include "harness/residency.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// The time of one lap over the set when it was just read (warm), and when every line of it was just flushed
/// from all caches by instruction: the two ends between which first laps lie.
struct LapReferences {
  Interval warm_ns, flushed_ns;
  bool operator==(const LapReferences&) const = default;
};

/// Returns the references as median and sign-test interval of their laps: the first half of the lists holds
/// warm laps, the second flushed ones. All zero when the lists are empty or odd in number.
LapReferences lap_references(std::span<const std::vector<int64_t>> laps_ns);

/// Returns from which time on a lap is cold: 0.9 × the flushed median, or the lower end of the flushed
/// interval when that is less (laps inside the interval cannot be told from flushed ones), but never nearer
/// to warm than to flushed. Unavailable when the warm lap is not faster than 0.9 × the flushed one: then no
/// cache keeps the set, and nothing can be seen to leave.
Reading<double> cold_lap_ns(const LapReferences& references);

/// Returns the smallest of `streamed_bytes` (ascending) after which the median first lap is cold, as it is
/// after all larger ones; first_laps_ns[i] are the laps after streamed_bytes[i]. Unavailable, with the
/// reason, when there is none, when the references cannot be told apart, or when the two lists do not fit
/// together.
Reading<int64_t> find_cold_bytes(const LapReferences& references, std::span<const int64_t> streamed_bytes,
                                 std::span<const std::vector<int64_t>> first_laps_ns);

/// The same, and where lines were looked at before those laps, the meter must say cold, too: a lap over a set
/// half of which is still cached can last as long as one over a flushed set, since what is missing comes from
/// memory in parallel. looks[i] are the looks after streamed_bytes[i] (line_looks.hpp); empty: none was.
Reading<int64_t> find_cold_bytes(const LapReferences& references, std::span<const int64_t> streamed_bytes,
                                 std::span<const std::vector<int64_t>> first_laps_ns,
                                 const ResidencyCalibration& calibration,
                                 std::span<const std::vector<LineCount>> looks);

}  // namespace harness
