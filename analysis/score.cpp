#include "analysis/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace analysis {

using harness::ForecastFigure;
using harness::ForecastRecord;

namespace {

int rank_of(const std::string& id) {
  const auto* const found = std::find(std::begin(naive_forecasts), std::end(naive_forecasts), id);
  return static_cast<int>(found - std::begin(naive_forecasts));
}

/// Machine, model, mode, rank of the forecast among the naive ones, its name and version.
using GroupKey =
    std::tuple<std::string_view, std::string_view, std::string_view, int, std::string_view, std::string_view>;

const std::string none;

GroupKey key_of(const ForecastRecord& record, const ForecastFigure& figure, By by) {
  const bool cell = by == By::cell;
  const auto when = [](bool wanted, const std::string& name) {
    return std::string_view(wanted ? name : none);
  };
  return {when(cell || by == By::machine, record.runs[figure.run].machine_key),
          when(cell || by == By::model, figure.model),
          when(cell || by == By::mode, figure.mode),
          rank_of(figure.id),
          figure.id,
          figure.version};
}

double log_of(const ForecastFigure& figure) {
  return std::log(figure.measured_over_forecast);
}

using DecodeOf = std::pair<size_t, int>;  ///< run, and the number of the decode in it

/// What each naive forecast was off by, per decode, in the order of decodes.
using NaiveErrors = std::vector<std::vector<std::pair<DecodeOf, double>>>;

NaiveErrors naive_errors(const ForecastRecord& record) {
  NaiveErrors errors(std::size(naive_forecasts));
  for (const ForecastFigure& figure : record.figures) {
    const auto rank = static_cast<size_t>(rank_of(figure.id));
    if (rank < errors.size()) errors[rank].push_back({{figure.run, figure.decode}, std::abs(log_of(figure))});
  }
  for (auto& of_one : errors) std::sort(of_one.begin(), of_one.end());
  return errors;
}

std::vector<Comparison> compare(const std::vector<const ForecastFigure*>& group, const NaiveErrors& naive) {
  std::vector<Comparison> comparisons;
  if (static_cast<size_t>(rank_of(group.front()->id)) < naive.size()) return comparisons;
  for (size_t rank = 0; rank < naive.size(); ++rank) {
    std::vector<double> own, other;
    for (const ForecastFigure* figure : group) {
      const DecodeOf decode{figure->run, figure->decode};
      const auto found = std::partition_point(naive[rank].begin(), naive[rank].end(),
                                              [&](const auto& error) { return error.first < decode; });
      if (found == naive[rank].end() || found->first != decode) continue;
      own.push_back(std::abs(log_of(*figure)));
      other.push_back(found->second);
    }
    if (own.empty()) continue;
    comparisons.push_back({naive_forecasts[rank], static_cast<int64_t>(own.size()), harness::median(own),
                           harness::median(other)});
  }
  return comparisons;
}

Score score_of(const GroupKey& key, const std::vector<const ForecastFigure*>& group,
               const NaiveErrors& naive) {
  Score made;
  std::tie(made.machine_key, made.model, made.mode, std::ignore, made.id, made.version) = key;
  std::vector<double> logs, errors, ratio_errors, widths;
  std::set<size_t> runs;
  int64_t inside = 0;
  for (const ForecastFigure* figure : group) {
    logs.push_back(log_of(*figure));
    errors.push_back(std::abs(logs.back()));
    ratio_errors.push_back(std::abs(figure->measured_over_forecast - 1));
    if (errors.back() > made.worst_log_error || made.worst_decode.empty()) {
      made.worst_log_error = errors.back();
      made.worst_decode = figure->model + " " + figure->mode;
    }
    if (figure->interval_ratio > 0) widths.push_back(figure->interval_ratio);
    runs.insert(runs.end(), figure->run);
    inside += figure->inside_interval ? 1 : 0;
  }
  made.figures = static_cast<int64_t>(group.size());
  made.runs = static_cast<int64_t>(runs.size());
  made.log_error = harness::median(errors);
  made.ratio_error = harness::median(ratio_errors);
  made.log_bias = harness::median(logs);
  made.coverage = harness::binomial_interval(inside, made.figures);
  made.width_ratio = widths.empty() ? 0 : harness::median(widths);
  made.against_naive = compare(group, naive);
  return made;
}

}  // namespace

std::vector<Score> score(const ForecastRecord& record, By by, bool counted_only) {
  std::map<GroupKey, std::vector<const ForecastFigure*>> groups;
  for (const ForecastFigure& figure : record.figures) {
    if (counted_only && !record.runs[figure.run].uncounted.empty()) continue;
    if (!(figure.measured_over_forecast > 0)) continue;  // no speed was measured
    groups[key_of(record, figure, by)].push_back(&figure);
  }
  const NaiveErrors naive = naive_errors(record);
  std::vector<Score> scores;
  scores.reserve(groups.size());
  for (const auto& [key, group] : groups) scores.push_back(score_of(key, group, naive));
  return scores;
}

Counting count_runs(const ForecastRecord& record) {
  Counting counting;
  std::map<std::string, int64_t> reasons;
  for (const harness::ForecastRun& run : record.runs) {
    if (run.uncounted.empty()) {
      ++counting.counted;
    } else {
      ++counting.excluded;
      ++reasons[run.uncounted];
    }
  }
  counting.reasons.assign(reasons.begin(), reasons.end());
  return counting;
}

}  // namespace analysis
