// How long a cache keeps lines that nobody touches, from how much of a set is left after a delay. On a host
// shared with strangers that is a half-life, not a capacity. Pure functions, so that whoever receives a
// submission recomputes it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/error.hpp"
#include "harness/residency.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// The share of a set that was still cached after a delay, with its interval, in [0, 1].
struct RetentionPoint {
  int64_t delay_ns = 0;
  Interval fraction;
};

/// How a half-life is read between two delays. Of a document from before looks were stored singly: on a
/// straight line. Else nobody knows the curve between them: its lower end as of an exponential decay, its
/// upper end on the straight line, the estimate at their geometric mean.
enum class Between { straight_line, unknown };

/// Exactly one is there, or neither when the points cannot tell.
struct Retention {
  Reading<Interval> half_life_ns;
  std::optional<double> longer_than_ns;  ///< a lower bound, where the end of the half-life was not seen
};

/// Returns after which delay half of what was there at the first is gone. Points ascend strictly in delay.
/// The fractions, and the ends of their intervals, are each made falling in least squares (pool adjacent
/// violators); the ends of the half-life are where the lower and the upper
/// curve cross half of the first fraction. Where the upper curve does not cross it within the delays there is
/// only a lower bound: where the lower curve does, or else the longest delay. Unavailable with fewer than 3
/// points, or when less than half of the set was there to begin with.
Retention find_half_life(std::span<const RetentionPoint> points, Between between = Between::unknown);

/// Returns a point per delay from looks[delay][round]: the share of lines still cached. Their intervals are
/// those of the distance to half of what was there at the first delay, from differences within rounds: the
/// first share is no better known than the others. Asserts as many looks at each delay, and lines in each.
std::vector<RetentionPoint> points_by_looks(std::span<const int64_t> delays_ns,
                                            std::span<const std::vector<LineCount>> looks,
                                            const ResidencyCalibration& calibration,
                                            double confidence = 0.95);

/// Returns the share of a set that laps of these times show as still there: (cold − lap) / (cold − warm), cut
/// to [0, 1], median and sign-test interval. Unavailable when warm is not below 0.9 × cold.
Reading<Interval> fraction_by_laps(std::span<const double> laps_ns, double warm_ns, double cold_ns);

/// Returns whether weights that are read round and round stay warm: one lap, bytes ÷ rate, must be shorter
/// than half of the half-life, or than half of its lower bound. Nothing when a bound alone does not decide.
/// Unavailable without either.
Reading<std::optional<bool>> stays_warm(double weight_bytes, double bytes_per_s, const Retention& retention);

}  // namespace harness
