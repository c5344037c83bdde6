// What timed loads told of a set, look by look. The lines of one look share one moment and one neighbour:
// they are no independent witnesses, so intervals count looks. Pure functions, so that whoever receives a
// submission recomputes them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/error.hpp"
#include "harness/residency.hpp"
#include "harness/statistics.hpp"

namespace harness {

/// How many lines a look can have to be written in one character.
inline constexpr int64_t most_lines_per_look = 35;

/// Writes numbers as one digit of base 36 each ("0" … "9", "a" … "z"): a document holds many looks. Asserts
/// 0 … 35.
std::string look_digits(std::span<const int64_t> counts);
/// Reads them back. Unavailable when the text is empty or a character is no such digit.
Reading<std::vector<int64_t>> read_look_digits(const std::string& text);

/// Returns the share of cached lines, each look corrected for wrong calls as resident_fraction() does, with
/// Student's t interval over the looks, cut to [0, 1]. Its variance is that between looks, or that of lines
/// drawn by chance where that is more (looks that agree by luck prove no more), plus that of the
/// calibration's two error rates. [0, 1] with fewer than two looks. Asserts lines in each look.
Interval share_of_looks(const ResidencyCalibration& calibration, std::span<const LineCount> looks,
                        double confidence = 0.95);

/// Returns share(looks) − share(first) / 2 in the same way, from the differences of looks of the same round:
/// above 0 more than half of what was there is left. [−1, 1] with fewer than two looks. Asserts equally many
/// looks.
Interval share_beyond_half(const ResidencyCalibration& calibration, std::span<const LineCount> looks,
                           std::span<const LineCount> first, double confidence = 0.95);

/// Returns whether the looks prove the set cold: with 95 % confidence (one-sided: nobody asks how cold) their
/// share lies at or below cold_resident_share. Of a single look that is the binomial one (is_cold of
/// residency.hpp).
bool is_cold(const ResidencyCalibration& calibration, std::span<const LineCount> looks);

/// Returns the lines of all looks together.
LineCount total_of(std::span<const LineCount> looks);

}  // namespace harness
