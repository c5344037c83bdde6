// A fraction of a roof falls when the speed does, and when the roof rises. Which of the two was it? Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/regression.hpp"

namespace analysis {

/// A read roof that moved by more is another machine (as comparisons and flags say).
inline constexpr double moved_roof_ratio = 0.05;

/// Returns the logarithms of weight bytes/s: of tokens/s, but for a constant.
std::vector<double> log_speeds(const SpeedSeries& series);

/// Whether a fraction that fell by `fraction_shift` (logarithm) fell because the roof rose: the speed lost
/// less than half as much.
bool roof_rose_instead(double fraction_shift, double speed_shift);

/// Speed and roof that fell by the margin or more at one place, so that the fraction shows nothing.
struct FallTogether {
  size_t since_point = 0;
  double speed_ratio = 1, roof_ratio = 1;  ///< now ÷ the highest level before
};

/// Finds it, by the rule that fractions are judged by; nothing where there is none.
std::optional<FallTogether> find_fall_together(const SpeedSeries& series, const RegressionRule& rule);

// Sentences about it.

/// A machine that changed may have changed more than its roof.
std::string moved_roof_text(const SpeedSeries& series, double roof_ratio);
std::string risen_roof_text(const SpeedSeries& series, double roof_ratio, double speed_ratio);
std::string text_of(const SpeedSeries& series, const FallTogether& fall);

/// Says what else than the commit is different between two points, "" when nothing is.
std::string also_different(const SpeedPoint& before, const SpeedPoint& after);

}  // namespace analysis
