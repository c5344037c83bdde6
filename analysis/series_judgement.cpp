#include "analysis/series_judgement.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/days_alike.hpp"
#include "analysis/hypothesis_tests.hpp"
#include "analysis/level_stretches.hpp"
#include "analysis/speed_beside_roof.hpp"
#include "analysis/time_dependence.hpp"

namespace analysis {
namespace {

constexpr double confidence = 0.95;
// So many points after a change are asked for by the detectable slow-down.
constexpr size_t points_after = 10;
// No sittings are alike to more than this: of a history that repeats to the last digit.
constexpr double least_deviation = 0.001;

harness::Interval exponential(const harness::Interval& logs) {
  return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high)};
}

/// What is being made of one series whose sittings hang together as rule.change says.
class Judgement {
 public:
  Judgement(const SpeedSeries& series, const RegressionRule& rule)
      : series_(series),
        rule_(rule),
        correlation_(rule.change.correlation),
        logs_(log_fractions(series)),
        speeds_(log_speeds(series)) {}

  SeriesJudgement made() {
    const std::vector<ChangePoint> found = find_change_points(logs_, rule_.change);
    stretches_ = stretches_of(logs_, found);
    const double estimated = lag_correlation(logs_, stretches_);
    verdict_.lag_correlation = correlation_;
    for (size_t i = 0; i < found.size(); ++i) {
      const harness::Interval shift =
          level_shift(part(logs_, stretches_[i]), part(logs_, stretches_[i + 1]), confidence);
      verdict_.changes.push_back({found[i].at, exponential(shift), found[i].p});
    }
    // What is too small to matter does not cut the baseline.
    stretches_ = joined(logs_, std::move(stretches_), margin() / 2);
    describe();
    if (!by_steps(true) && !by_line() && !by_steps(false)) by_latest();
    if (verdict_.word == "no_worse" || verdict_.word == "improved") note_fall_together();
    return {verdict_, distances(), latest_distance_, estimated};
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

  [[nodiscard]] double margin() const { return -std::log1p(-rule_.margin_ratio); }

  /// How far every point but those of the newest commit lies from its level, in deviations.
  [[nodiscard]] std::vector<double> distances() const {
    std::vector<double> all;
    const double deviation = scatter_of_levels();
    for (const Stretch& stretch : stretches_) {
      for (size_t i = stretch.first; i < std::min(stretch.end, newest()); ++i)
        all.push_back((logs_[i] - stretch.level) / deviation);
    }
    return all;
  }

  [[nodiscard]] double scatter_of_levels() const {
    return std::max(least_deviation, scatter(logs_, stretches_));
  }

  /// The first point of the newest commit.
  [[nodiscard]] size_t newest() const {
    size_t first = logs_.size() - 1;
    while (first > 0 && series_.points[first - 1].commit == series_.points.back().commit) --first;
    return first;
  }

  void describe() {
    const Stretch& last = stretches_.back();
    verdict_.word = "no_worse";
    verdict_.fraction = verdict_.baseline_fraction = std::exp(last.level);
    const size_t n = logs_.size(), after = std::min(points_after, n / 2);
    const double error = error_of({0, n - after, 0}, {n - after, n, 0});
    const double reserve = normal_quantile(rule_.power);
    const double critical = -critical_value(rule_.alpha / 2 / places(n), inflation_of(1, n, correlation_));
    verdict_.detectable_ratio = std::exp(-std::max((critical + reserve) * error, margin() + reserve * error));
  }

  /// The standard error of the difference between two stretches.
  [[nodiscard]] double error_of(const Stretch& old, const Stretch& now) const {
    const TwoSides sides = sides_of(old, now);
    const double independent =
        1.0 / static_cast<double>(old.count()) + 1.0 / static_cast<double>(now.count());
    return scatter_of_levels() *
           std::sqrt(independent * shift_inflation(sides.before, sides.after, correlation_));
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
    TwoSides sides = sides_of(old, now);
    const double roof_ratio = median_roof(series_, now) / median_roof(series_, old);
    const bool moved = std::abs(roof_ratio - 1) > moved_roof_ratio;
    bool alike = !moved;
    if (moved) {
      TwoSides days = days_alike(series_, old, now, rule_.change.least_points);
      alike = !days.before.empty();
      if (alike) sides = std::move(days);
    }
    const harness::Interval ratio = exponential(shift_between(logs_, sides));
    if (slower ? ratio.high >= 1 || ratio.median > 1 - rule_.margin_ratio
               : ratio.low <= 1 || ratio.median < 1 + rule_.margin_ratio)
      return false;
    // Whether it changed at all is a question to all sittings, whether that is the roof's doing one to days
    // alike.
    const double p = chance_of(old, now);
    conclude(slower ? "regressed" : "improved", ratio, std::min(1.0, p * places(logs_.size())), old.level);
    verdict_.since_point = old.end;
    verdict_.why = also_different(series_.points[old.end - 1], series_.points[old.end]);
    if (slower && !moved) prefer_line(old.first);
    const double speed = shift_between(speeds_, sides).median;
    if (!alike)
      doubt(moved_roof_text(series_, roof_ratio));
    else if (slower && series_.points[old.end - 1].commit == series_.points[old.end].commit)
      doubt(verdict_.why);
    else if (slower && roof_rose_instead(std::log(ratio.median), speed))
      doubt(risen_roof_text(series_, roof_ratio, std::exp(speed)));
    return true;
  }

  [[nodiscard]] harness::Interval shift_between(const std::vector<double>& values,
                                                const TwoSides& sides) const {
    return inflated(level_shift(picked(values, sides.before), picked(values, sides.after), confidence),
                    inflation_between(sides));
  }

  /// How often the rank sums of two stretches lie so far apart by chance. Where sittings hang together few of
  /// them make no rank sum rare, however far apart they lie: then the difference of the medians is asked,
  /// too.
  [[nodiscard]] double chance_of(const Stretch& old, const Stretch& now) const {
    const double of_ranks = mann_whitney_p(part(logs_, old), part(logs_, now));
    if (correlation_ <= 0) return of_ranks;
    const Inflation inflation = inflation_between(sides_of(old, now));
    constexpr double median_to_mean = 1.2533;  // standard errors of normal values, √(π/2)
    const double statistic = (now.level - old.level) / (median_to_mean * error_of(old, now));
    const double of_medians = 2 * harness::student_t_cdf(-std::abs(statistic), inflation.degrees);
    return std::min(1.0, 2 * std::min(inflated_p(of_ranks, inflation), of_medians));
  }

  [[nodiscard]] Inflation inflation_between(const TwoSides& sides) const {
    return inflation_of(shift_inflation(sides.before, sides.after, correlation_), logs_.size(), correlation_);
  }

  /// The trend of values, its p-value and interval as far as they hang together.
  [[nodiscard]] Trend trend_of(std::span<const double> values) const {
    Trend trend = fit_trend(values, confidence);
    const Inflation inflation =
        inflation_of(trend_inflation(values.size(), correlation_), values.size(), correlation_);
    const harness::Interval slope = inflated({trend.per_step, trend.low, trend.high}, inflation);
    trend.low = slope.low;
    trend.high = slope.high;
    trend.p = inflated_p(trend.p, inflation);
    return trend;
  }

  /// Calls a regression gradual when a line fits better than the steps did.
  void prefer_line(size_t first) {
    const Trend trend = trend_of(std::span(logs_).subspan(first));
    if (trend.high >= 0 || !line_is_better(logs_, first, stretches_, trend)) return;
    take_line(first, trend);
    verdict_.p = trend.p;
  }

  void doubt(std::string why) {
    verdict_.word = "suspected";
    verdict_.why = std::move(why);
  }

  /// What cancels in the fraction is told, and not judged.
  void note_fall_together() {
    const std::optional<FallTogether> fall = find_fall_together(series_, rule_);
    if (fall) verdict_.note = text_of(series_, *fall);
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
    const Trend trend = trend_of(rest);
    const double total = trend.per_step * static_cast<double>(rest.size() - 1);
    if (total > std::log1p(-rule_.margin_ratio) || trend.high >= 0 || trend.p > rule_.change.alpha)
      return false;
    if (!line_is_better(logs_, first, stretches_, trend)) return false;
    conclude("regressed", {}, trend.p, 0);
    take_line(first, trend);
    const size_t middle = first + rest.size() / 2;
    const double roof_ratio =
        median_roof(series_, {middle, logs_.size(), 0}) / median_roof(series_, {first, middle, 0});
    const double speed = fit_trend(std::span(speeds_).subspan(first), confidence).per_step *
                         static_cast<double>(rest.size() - 1);
    if (series_.points[first].commit == series_.points.back().commit)
      doubt(verdict_.why);
    else if (std::abs(roof_ratio - 1) > moved_roof_ratio)
      doubt(moved_roof_text(series_, roof_ratio));
    else if (roof_rose_instead(total, speed))
      doubt(risen_roof_text(series_, roof_ratio, std::exp(speed)));
    return true;
  }

  /// The points of the newest commit against those of the same level before it.
  void by_latest() {
    const Stretch& last = stretches_.back();
    const size_t from = std::max(newest(), last.first);
    const size_t before = from - last.first, latest = last.end - from;
    if (before < rule_.change.least_points || from < series_.since) return;
    const double level = harness::median(std::span(logs_).subspan(last.first, before));
    const double shift = harness::median(std::span(logs_).subspan(from, latest)) - level;
    const double error = error_of({last.first, from, 0}, {from, last.end, 0});
    verdict_.fraction = std::exp(level + shift);
    verdict_.baseline_fraction = std::exp(level);
    const double t = harness::student_t_quantile((1 + confidence) / 2, static_cast<double>(before) - 1);
    verdict_.ratio = exponential({shift, shift - t * error, shift + t * error});
    if (shift > -margin()) return;
    verdict_.word = "suspected";
    verdict_.why = "only the newest commit: measure it again, a change is sure after " +
                   std::to_string(rule_.change.least_points) + " sittings or so";
    const double speed = harness::median(std::span(speeds_).subspan(from, latest)) -
                         harness::median(std::span(speeds_).subspan(last.first, before));
    if (roof_rose_instead(shift, speed))
      doubt(risen_roof_text(series_, std::exp(speed - shift), std::exp(speed)));
    verdict_.since_point = from;
    latest_distance_ = shift / error;
  }

  const SpeedSeries& series_;
  const RegressionRule& rule_;
  double correlation_;
  std::vector<double> logs_, speeds_;  ///< of fractions, and of weight bytes/s
  std::vector<Stretch> stretches_;
  SeriesVerdict verdict_;
  double latest_distance_ = 0;
};

}  // namespace

SeriesJudgement judge_with(const SpeedSeries& series, const RegressionRule& rule) {
  return Judgement(series, rule).made();
}

}  // namespace analysis
