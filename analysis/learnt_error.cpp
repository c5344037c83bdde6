#include "analysis/learnt_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/forecast.hpp"
#include "harness/statistics.hpp"

namespace analysis {

using harness::ForecastRecord;
using harness::LearntFrom;
using harness::ModelError;

namespace {

constexpr size_t named_digits = 16;

bool teaches(const harness::ForecastFigure& figure, const std::string& model) {
  return figure.id == "ecm" && figure.model == model && figure.measured_over_forecast > 0 &&
         (figure.version == ecm_version || figure.version == ecm_version_before);
}

/// Root mean square of ln(measured ÷ forecast) of a run's decodes of a model.
std::optional<double> run_log_error(const ForecastRecord& record, size_t run, const std::string& model) {
  double squares = 0;
  int figures = 0;
  const auto first = std::partition_point(record.figures.begin(), record.figures.end(),
                                          [run](const auto& figure) { return figure.run < run; });
  for (auto at = first; at != record.figures.end() && at->run == run; ++at) {
    const harness::ForecastFigure& figure = *at;
    if (!teaches(figure, model)) continue;
    const double error = std::log(figure.measured_over_forecast);
    squares += error * error;
    ++figures;
  }
  if (figures == 0) return std::nullopt;
  return std::sqrt(squares / figures);
}

/// The newest runs that count and decoded a model, of one machine or of all ("").
std::vector<LearntFrom> newest(const ForecastRecord& record, const std::string& model,
                               const std::string& machine_key, const std::string& but_not) {
  std::vector<LearntFrom> runs;
  for (size_t i = record.runs.size(); i-- > 0 && runs.size() < most_learnt;) {
    const harness::ForecastRun& run = record.runs[i];
    if (!run.uncounted.empty() || run.content_sha256 == but_not) continue;
    if (!machine_key.empty() && run.machine_key != machine_key) continue;
    const auto error = run_log_error(record, i, model);
    if (error) runs.push_back({run.content_sha256.substr(0, named_digits), *error});
  }
  return runs;
}

bool same(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max({a, b, 1e-9});
}

/// Returns what a store knows better of one run, or "".
std::string contradiction(const LearntFrom& run, const std::string& model, const ForecastRecord& stored) {
  for (size_t i = 0; i < stored.runs.size(); ++i) {
    if (!stored.runs[i].content_sha256.starts_with(run.document)) continue;
    if (!stored.runs[i].uncounted.empty())
      return fmt::format("{} does not count: {}", run.document, stored.runs[i].uncounted);
    const auto error = run_log_error(stored, i, model);
    if (error && same(*error, run.log_error)) return "";
    return fmt::format("{} has a log error of {:.6g}, stated {:.6g}", run.document, error.value_or(0),
                       run.log_error);
  }
  return "";  // another's store
}

}  // namespace

ModelError model_error(const std::vector<LearntFrom>& runs, const std::string& machines) {
  double squares = prior_submissions * prior_log_error * prior_log_error;
  for (const LearntFrom& run : runs) squares += run.log_error * run.log_error;
  const auto n = static_cast<int>(runs.size());
  const double degrees = prior_submissions + n;
  const double spread = std::exp(harness::student_t_quantile(0.95, degrees) * std::sqrt(squares / degrees));
  return {spread, n, machines, runs};
}

ModelError learn_model_error(const ForecastRecord& record, const std::string& model,
                             const std::string& machine_key, const std::string& but_not) {
  const auto here = newest(record, model, machine_key, but_not);
  if (!here.empty() && !machine_key.empty()) return model_error(here, "this");
  const auto anywhere = newest(record, model, "", but_not);
  return model_error(anywhere, anywhere.empty() ? "" : "any");
}

ModelError error_on(const LearntErrors& learnt, const std::string& model) {
  return learn_model_error(learnt.record, model, learnt.machine_key, learnt.but_not);
}

std::string misstated(const ModelError& stated, const std::string& model, const ForecastRecord* stored) {
  if (static_cast<size_t>(std::max(stated.submissions, 0)) != stated.learnt_from.size())
    return fmt::format("model_error names {} submissions and says {}", stated.learnt_from.size(),
                       stated.submissions);
  if (stated.learnt_from.size() > most_learnt)
    return fmt::format("model_error names {} runs, {} are learnt from at most", stated.learnt_from.size(),
                       most_learnt);
  std::set<std::string> named;
  for (const LearntFrom& run : stated.learnt_from) {
    if (!named.insert(run.document).second) return fmt::format("model_error names {} twice", run.document);
    const std::string wrong = stored ? contradiction(run, model, *stored) : "";
    if (!wrong.empty()) return "model_error: " + wrong;
  }
  const double own = model_error(stated.learnt_from).spread_ratio;
  if (same(own, stated.spread_ratio)) return "";
  return fmt::format("model_error states a spread of {:.6g}, its submissions give {:.6g}",
                     stated.spread_ratio, own);
}

}  // namespace analysis
