#include "analysis/speed_beside_roof.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/days_alike.hpp"
#include "analysis/hypothesis_tests.hpp"
#include "analysis/level_stretches.hpp"
#include "analysis/time_dependence.hpp"

namespace analysis {
namespace {

double median_roof_log(const SpeedSeries& series, const Stretch& stretch) {
  std::vector<double> logs;
  logs.reserve(stretch.count());
  for (size_t i = stretch.first; i < stretch.end; ++i)
    logs.push_back(std::log(series.points[i].roof_bytes_per_s));
  return harness::median(logs);
}

}  // namespace

std::vector<double> log_speeds(const SpeedSeries& series) {
  std::vector<double> logs = log_fractions(series);
  for (size_t i = 0; i < logs.size(); ++i) logs[i] += std::log(series.points[i].roof_bytes_per_s);
  return logs;
}

bool roof_rose_instead(double fraction_shift, double speed_shift) {
  return fraction_shift < 0 && speed_shift > fraction_shift / 2;
}

std::optional<FallTogether> find_fall_together(const SpeedSeries& series, const RegressionRule& rule) {
  const std::vector<double> logs = log_speeds(series);
  const double margin = -std::log1p(-rule.margin_ratio);
  const std::vector<Stretch> found = stretches_of(logs, find_change_points(logs, rule.change));
  const std::vector<Stretch> stretches = joined(logs, found, margin / 2);
  const Stretch& now = stretches.back();
  const Stretch* old = nullptr;
  for (size_t i = 0; i + 1 < stretches.size(); ++i) {
    if (stretches[i].end < std::max<size_t>(1, series.since)) continue;
    if (!old || stretches[i].level > old->level) old = &stretches[i];
  }
  if (!old) return std::nullopt;
  constexpr double confidence = 0.95;
  const double correlation = lag_correlation(logs, found);
  const TwoSides sides = sides_of(*old, now);
  const Inflation inflation =
      inflation_of(shift_inflation(sides.before, sides.after, correlation), logs.size(), correlation);
  const harness::Interval shift =
      inflated(level_shift(part(logs, *old), part(logs, now), confidence), inflation);
  const double roof = median_roof_log(series, now) - median_roof_log(series, *old);
  if (shift.median > -margin || shift.high >= 0 || roof > -margin) return std::nullopt;
  const double p = inflated_p(mann_whitney_p(part(logs, *old), part(logs, now)), inflation);
  if (p * static_cast<double>(logs.size()) > rule.alpha) return std::nullopt;
  return FallTogether{old->end, std::exp(shift.median), std::exp(roof)};
}

std::string moved_roof_text(const SpeedSeries& series, double roof_ratio) {
  char text[160];
  std::snprintf(text, sizeof text,
                "the read roof %s is %.3f of what it was: the machine changed, not the kernel alone",
                series.roof.c_str(), roof_ratio);
  return text;
}

std::string risen_roof_text(const SpeedSeries& series, double roof_ratio, double speed_ratio) {
  char text[160];
  std::snprintf(text, sizeof text, "the roof rose: the read roof %s is %.3f of what it was, tokens/s %.3f",
                series.roof.c_str(), roof_ratio, speed_ratio);
  return text;
}

std::string text_of(const SpeedSeries& series, const FallTogether& fall) {
  char text[160];
  std::snprintf(text, sizeof text,
                "tokens/s fell to %.3f, and the read roof %s to %.3f: the machine, its clock or the build "
                "slowed both, ",
                fall.speed_ratio, series.roof.c_str(), fall.roof_ratio);
  return text + commit_range(series, fall.since_point);
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

}  // namespace analysis
