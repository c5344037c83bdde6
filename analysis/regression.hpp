// Did a decode become slower over the commits? Of every series of sittings on one machine: where its level
// changed, and whether it is lower now than it has been. Pure; docs/regressions.md gives the rule.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/change_points.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// What counts as a regression.
struct RegressionRule {
  double margin_ratio = 0.03;  ///< a slow-down below this share of the old speed is none
  double alpha = 0.05;         ///< of a whole result: the share of false findings among series
  double power = 0.9;          ///< with which the smallest slow-down told would be found
  size_t least_points = 10;    ///< of a series; with fewer nothing is said
  ChangeRule change;
};

/// What may explain why one machine regresses and another does not.
struct MachineTraits {
  std::string machine_key, cpu_model, vendor;
  std::string microarchitecture;       ///< "" when not known
  int64_t l2_bytes = 0, l3_bytes = 0;  ///< of one instance; 0: none, or not told
};

/// One sitting: what one document says of a decode.
struct SpeedPoint {
  int64_t commit = 0;  ///< rank of its commit among all commits of the data, ascending
  std::string commit_name, created_utc;
  int64_t document = 0;  ///< its number in the store
  double roof_bytes_per_s = 0;
  double roof_fraction = 0;  ///< weight bytes/s ÷ the read roof of the same sitting
  double tokens_per_s = 0;
  std::string kernel_version, compiler;
  std::string author;  ///< who sent the document; "" when nobody is known
};

/// The sittings of one decode on one machine, in the order of their commits.
struct SpeedSeries {
  harness::DecodeKey key;
  int64_t weight_bytes_per_token = 0;
  MachineTraits machine;
  std::string roof;  ///< the level of the read roof that fractions are of
  std::vector<SpeedPoint> points;
  size_t since = 0;   ///< changes before this point are not judged
  std::string wrong;  ///< why its figures do not count, "" when they do
};

/// A change of level.
struct LevelChange {
  size_t at = 0;            ///< index of the first point after it
  harness::Interval ratio;  ///< level after ÷ before, to the neighbouring changes
  double p = 1;             ///< of the permutations
};

/// What is said of a series. word: "wrong", "regressed", "suspected" (lower, and not enough points to be
/// sure), "improved", "no_worse", "cannot_tell" (too few points).
struct SeriesVerdict {
  std::string word = "cannot_tell", why;
  std::string note;  ///< what the fraction cannot show: speed and roof that fell together; "" mostly
  std::vector<LevelChange> changes;            ///< all, ascending
  bool gradual = false;                        ///< a line tells it better than steps
  size_t since_point = 0;                      ///< regressed, improved: the first point that is different
  size_t until_point = 0;                      ///< of a gradual one: the last
  harness::Interval ratio{1, 1, 1};            ///< the level now ÷ the baseline
  double baseline_fraction = 0, fraction = 0;  ///< of the roof: then and now
  double p = 1;                                ///< of "not slower" (not faster, where improved), one series
  double adjusted_p = 1;                       ///< for all series that were judged
  double lag_correlation = 0;                  ///< of neighbouring sittings about their level, allowed for
  double detectable_ratio = 1;  ///< the smallest slow-down that ten points after it would have shown
  [[nodiscard]] bool judged() const { return word != "wrong" && word != "cannot_tell"; }
};

/// Judges every series, in their order. Asserts that points are in the order of their commits and fractions
/// above 0.
std::vector<SeriesVerdict> judge_series(const std::vector<SpeedSeries>& series, const RegressionRule& rule);

/// Returns the logarithms of the roof fractions.
std::vector<double> log_fractions(const SpeedSeries& series);

/// Says between which commits a change lies: "abc1234..def5678"; "in abc1234" where both sides are of one.
std::string commit_range(const SpeedSeries& series, size_t first_after);

}  // namespace analysis
