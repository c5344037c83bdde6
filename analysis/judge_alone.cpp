// One series judged twice: as if its sittings were exchangeable, and as they hang together.
#include <cstdio>
#include <utility>

#include "analysis/series_judgement.hpp"
#include "analysis/time_dependence.hpp"

namespace analysis {
namespace {

/// Lower, and sittings that hang together so much fall as far by chance.
SeriesJudgement doubted(SeriesJudgement plain, const SeriesVerdict& corrected, size_t sittings) {
  const double correlation = corrected.lag_correlation;
  char text[320];
  std::snprintf(
      text, sizeof text,
      "the sittings hang together in time (each leans on the one before by %.2f: %zu are worth %.0f), "
      "and such fall as far by chance: measure old and new commits in turns on the same days, or "
      "compare --binary",
      correlation, sittings, effective_count(sittings, correlation));
  plain.verdict.word = "suspected";
  plain.verdict.why = text;
  plain.verdict.lag_correlation = correlation;
  plain.verdict.detectable_ratio = corrected.detectable_ratio;
  plain.verdict.changes = corrected.changes;
  return plain;
}

bool lower(const SeriesVerdict& verdict) {
  return verdict.word == "regressed" || verdict.word == "suspected";
}

}  // namespace

SeriesJudgement judge_alone(const SpeedSeries& series, const RegressionRule& rule) {
  SeriesJudgement made;
  if (!series.wrong.empty()) {
    made.verdict.word = "wrong";
    made.verdict.why = series.wrong;
    return made;
  }
  const size_t sittings = series.points.size();
  if (sittings < rule.least_points) {
    made.verdict.why = std::to_string(sittings) + " of " + std::to_string(rule.least_points) + " points";
    return made;
  }
  SeriesJudgement plain = judge_with(series, rule);
  if (plain.lag_correlation <= 0) return plain;
  RegressionRule corrected_rule = rule;
  corrected_rule.change.correlation = plain.lag_correlation;
  SeriesJudgement corrected = judge_with(series, corrected_rule);
  // The newest commit alone is judged by its own rule, whatever hangs together.
  if (lower(plain.verdict) && !lower(corrected.verdict) && plain.latest_distance == 0)
    return doubted(std::move(plain), corrected.verdict, sittings);
  return corrected;
}

}  // namespace analysis
