#include "analysis/regression.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "analysis/hypothesis_tests.hpp"
#include "analysis/series_judgement.hpp"

namespace analysis {
namespace {

// So many older sittings say by themselves how rare a low one is.
constexpr size_t enough_sittings = 100;

/// How rare so low a sitting is among all that came before it, in whatever series; of few sittings by the
/// inequality of Vysochanskij and Petunin (1980).
void judge_latest(std::vector<SeriesJudgement>& judgements) {
  std::vector<double> all;
  for (const SeriesJudgement& each : judgements)
    all.insert(all.end(), each.distances.begin(), each.distances.end());
  std::sort(all.begin(), all.end());
  for (SeriesJudgement& each : judgements) {
    if (each.latest_distance >= 0) continue;
    const auto as_low = std::upper_bound(all.begin(), all.end(), each.latest_distance) - all.begin();
    each.verdict.p = (1.0 + static_cast<double>(as_low)) / (1.0 + static_cast<double>(all.size()));
    // Few sittings cannot make anything rare: what one peak of whatever shape allows, then.
    if (all.size() < enough_sittings && as_low == 0)
      each.verdict.p = std::min(each.verdict.p, 4 / (9 * each.latest_distance * each.latest_distance));
  }
}

/// Takes back what may be chance among so many series.
void adjust(std::vector<SeriesVerdict>& verdicts, const RegressionRule& rule) {
  std::vector<double> p;
  std::vector<SeriesVerdict*> judged;
  for (SeriesVerdict& verdict : verdicts) {
    if (!verdict.judged()) continue;
    judged.push_back(&verdict);
    p.push_back(verdict.p);
  }
  const std::vector<double> adjusted = false_discovery_adjusted(p);
  for (size_t i = 0; i < judged.size(); ++i) {
    SeriesVerdict& verdict = *judged[i];
    verdict.adjusted_p = adjusted[i];
    if (verdict.adjusted_p <= rule.alpha) continue;
    if (verdict.word == "suspected" || verdict.word == "improved") {
      verdict.why.clear();
      verdict.word = "no_worse";
    } else if (verdict.word == "regressed") {
      verdict.word = "suspected";
      verdict.why = "could be chance among so many series: more sittings would tell";
    }
  }
}

}  // namespace

std::vector<double> log_fractions(const SpeedSeries& series) {
  std::vector<double> logs;
  logs.reserve(series.points.size());
  for (const SpeedPoint& point : series.points) {
    assert(point.roof_fraction > 0);
    logs.push_back(std::log(point.roof_fraction));
  }
  return logs;
}

std::string commit_range(const SpeedSeries& series, size_t first_after) {
  const std::string& after = series.points[first_after].commit_name;
  if (first_after == 0) return "in " + after;
  const std::string& before = series.points[first_after - 1].commit_name;
  return before == after ? "in " + after : before + ".." + after;
}

std::vector<SeriesVerdict> judge_series(const std::vector<SpeedSeries>& series, const RegressionRule& rule) {
  std::vector<SeriesJudgement> judgements;
  judgements.reserve(series.size());
  for (const SpeedSeries& each : series) judgements.push_back(judge_alone(each, rule));
  judge_latest(judgements);
  std::vector<SeriesVerdict> verdicts;
  verdicts.reserve(series.size());
  for (SeriesJudgement& each : judgements) verdicts.push_back(std::move(each.verdict));
  adjust(verdicts, rule);
  return verdicts;
}

}  // namespace analysis
