#include "analysis/regression.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "analysis/hypothesis_tests.hpp"
#include "analysis/level_stretches.hpp"

namespace analysis {
namespace {

constexpr double confidence = 0.95;
// So many points after a change are asked for by the detectable slow-down.
constexpr size_t points_after = 10;
// A read roof that moved by more is another machine (as comparisons and flags say).
constexpr double moved_roof_ratio = 0.05;

harness::Interval exponential(const harness::Interval& logs) {
  return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high)};
}

/// Says what else than the commit is different between two points, "" when nothing is.
std::string also_different(const SpeedPoint& before, const SpeedPoint& after) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (before.commit == after.commit)
    add("both sides are sittings of one commit: look for something else than the code");
  if (before.kernel_version != after.kernel_version)
    add("kernels of version " + before.kernel_version + ", then " + after.kernel_version);
  if (before.compiler != after.compiler) add("built by " + before.compiler + ", then " + after.compiler);
  return text;
}

double median_roof(const SpeedSeries& series, size_t first, size_t end) {
  std::vector<double> roofs;
  roofs.reserve(end - first);
  for (size_t i = first; i < end; ++i) roofs.push_back(series.points[i].roof_bytes_per_s);
  return harness::median(roofs);
}

/// What is being made of one series.
class Judgement {
 public:
  Judgement(const SpeedSeries& series, const RegressionRule& rule)
      : series_(series), rule_(rule), logs_(log_fractions(series)) {}

  SeriesVerdict made() {
    if (!series_.wrong.empty()) {
      verdict_.word = "wrong";
      verdict_.why = series_.wrong;
      return verdict_;
    }
    if (logs_.size() < rule_.least_points) {
      verdict_.why = std::to_string(logs_.size()) + " of " + std::to_string(rule_.least_points) + " points";
      return verdict_;
    }
    const std::vector<ChangePoint> found = find_change_points(logs_, rule_.change);
    stretches_ = stretches_of(logs_, found);
    for (size_t i = 0; i < found.size(); ++i) {
      const harness::Interval shift =
          level_shift(part(logs_, stretches_[i]), part(logs_, stretches_[i + 1]), confidence);
      verdict_.changes.push_back({found[i].at, exponential(shift), found[i].p});
    }
    describe();
    if (!by_steps(true) && !by_line() && !by_steps(false)) by_latest();
    return verdict_;
  }

 private:
  /// The stretches that the last one may be held against: those from the one on that holds the last point
  /// before `since`.
  [[nodiscard]] size_t first_stretch() const {
    const size_t before = series_.since == 0 ? 0 : series_.since - 1;
    size_t first = 0;
    while (stretches_[first].end <= before) ++first;
    return std::min(first, stretches_.size() - 1);
  }

  void describe() {
    const Stretch& last = stretches_.back();
    verdict_.word = "no_worse";
    verdict_.fraction = verdict_.baseline_fraction = std::exp(last.level);
    const size_t n = logs_.size(), after = std::min(points_after, n / 2);
    const double error = scatter(logs_, stretches_) *
                         std::sqrt(1.0 / static_cast<double>(after) + 1.0 / static_cast<double>(n - after));
    const double reserve = normal_quantile(rule_.power);
    const double critical = -normal_quantile(rule_.alpha / 2 / places(n));
    const double margin = -std::log1p(-rule_.margin_ratio);
    verdict_.detectable_ratio = std::exp(-std::max((critical + reserve) * error, margin + reserve * error));
  }

  /// Where a change among so many points could have been.
  [[nodiscard]] double places(size_t points) const {
    return std::max(1.0,
                    static_cast<double>(points) - 2.0 * static_cast<double>(rule_.change.least_points) + 1);
  }

  void conclude(const std::string& word, const harness::Interval& ratio, double p, double baseline) {
    verdict_.word = word;
    verdict_.ratio = ratio;
    verdict_.p = p;
    verdict_.baseline_fraction = std::exp(baseline);
  }

  /// Holds the last stretch against the highest before it (the lowest, for an improvement).
  bool by_steps(bool slower) {
    const size_t first = first_stretch();
    size_t against = stretches_.size() - 1;
    for (size_t i = first; i + 1 < stretches_.size(); ++i) {
      const double difference = stretches_[i].level - stretches_[against].level;
      if (slower ? difference > 0 : difference < 0) against = i;
    }
    if (against + 1 == stretches_.size()) return false;
    const Stretch &old = stretches_[against], &now = stretches_.back();
    const harness::Interval ratio = exponential(level_shift(part(logs_, old), part(logs_, now), confidence));
    if (slower ? ratio.high >= 1 || ratio.median > 1 - rule_.margin_ratio
               : ratio.low <= 1 || ratio.median < 1 + rule_.margin_ratio)
      return false;
    const double p = mann_whitney_p(part(logs_, old), part(logs_, now));
    conclude(slower ? "regressed" : "improved", ratio, std::min(1.0, p * places(logs_.size())), old.level);
    verdict_.since_point = old.end;
    verdict_.why = also_different(series_.points[old.end - 1], series_.points[old.end]);
    if (slower) {
      prefer_line(old.first);
      doubt_moved_roof(median_roof(series_, now.first, now.end) / median_roof(series_, old.first, old.end));
    }
    return true;
  }

  /// Calls a regression gradual when a line fits better than the steps did.
  void prefer_line(size_t first) {
    const Trend trend = fit_trend(std::span(logs_).subspan(first), confidence);
    if (trend.high < 0 && line_is_better(logs_, first, stretches_, trend)) take_line(first, trend);
  }

  /// A machine that changed may have changed more than its roof.
  void doubt_moved_roof(double ratio) {
    if (std::abs(ratio - 1) <= moved_roof_ratio) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "the read roof %s is %.3f of what it was: the machine changed, not the kernel alone",
                  series_.roof.c_str(), ratio);
    verdict_.word = "suspected";
    verdict_.why = text;
  }

  void take_line(size_t first, const Trend& trend) {
    const double span = static_cast<double>(logs_.size() - first - 1);
    verdict_.gradual = true;
    verdict_.why = also_different(series_.points[first], series_.points.back());
    verdict_.since_point = first + 1;
    verdict_.until_point = logs_.size() - 1;
    verdict_.ratio = {std::exp(trend.per_step * span), std::exp(trend.low * span),
                      std::exp(trend.high * span)};
    verdict_.baseline_fraction = std::exp(trend.level_at_start);
    verdict_.fraction = std::exp(trend.level_at_start + trend.per_step * span);
  }

  /// A decline too slow for any step to reach the margin.
  bool by_line() {
    const size_t first = std::max(stretches_[first_stretch()].first, series_.since);
    const std::span<const double> rest = std::span(logs_).subspan(first);
    if (rest.size() < rule_.least_points) return false;
    const Trend trend = fit_trend(rest, confidence);
    const double total = trend.per_step * static_cast<double>(rest.size() - 1);
    if (total > std::log1p(-rule_.margin_ratio) || trend.high >= 0 || trend.p > rule_.change.alpha)
      return false;
    if (!line_is_better(logs_, first, stretches_, trend)) return false;
    conclude("regressed", {}, trend.p, 0);
    take_line(first, trend);
    const size_t middle = first + rest.size() / 2;
    doubt_moved_roof(median_roof(series_, middle, logs_.size()) / median_roof(series_, first, middle));
    return true;
  }

  /// The points of the newest commit against those of the same level before it.
  void by_latest() {
    const Stretch& last = stretches_.back();
    size_t newest = last.end - 1;
    while (newest > last.first && series_.points[newest - 1].commit == series_.points[last.end - 1].commit)
      --newest;
    const size_t before = newest - last.first, latest = last.end - newest;
    if (before < rule_.change.least_points || newest < series_.since) return;
    const std::span<const double> old = std::span(logs_).subspan(last.first, before);
    const std::span<const double> now = std::span(logs_).subspan(newest, latest);
    const double level = harness::median(old), shift = harness::median(now) - level;
    const double error = robust_deviation(old) *
                         std::sqrt(1.0 / static_cast<double>(before) + 1.0 / static_cast<double>(latest));
    verdict_.fraction = std::exp(level + shift);
    verdict_.baseline_fraction = std::exp(level);
    const double t = harness::student_t_quantile((1 + confidence) / 2, static_cast<double>(before) - 1);
    verdict_.ratio = exponential({shift, shift - t * error, shift + t * error});
    if (shift > std::log1p(-rule_.margin_ratio)) return;
    verdict_.word = "suspected";
    verdict_.why = "only the newest commit: measure it again, a change is sure after " +
                   std::to_string(rule_.change.least_points) + " sittings or so";
    verdict_.since_point = newest;
    verdict_.p = error > 0 ? harness::student_t_cdf(shift / error, static_cast<double>(before) - 1) : 0;
  }

  const SpeedSeries& series_;
  const RegressionRule& rule_;
  std::vector<double> logs_;
  std::vector<Stretch> stretches_;
  SeriesVerdict verdict_;
};

/// Takes back what may be chance among so many series.
void adjust(std::vector<SeriesVerdict>& verdicts, const RegressionRule& rule) {
  std::vector<double> p;
  std::vector<SeriesVerdict*> judged;
  for (SeriesVerdict& verdict : verdicts) {
    if (!verdict.judged()) continue;
    judged.push_back(&verdict);
    p.push_back(verdict.p);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
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
  std::vector<SeriesVerdict> verdicts;
  verdicts.reserve(series.size());
  for (const SpeedSeries& each : series) verdicts.push_back(Judgement(each, rule).made());
  adjust(verdicts, rule);
  return verdicts;
}

}  // namespace analysis
