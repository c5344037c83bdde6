#include "harness/cli/forecast_table.hpp"

#include <fmt/format.h>

#include "harness/cli/paragraph.hpp"
#include "harness/cli/result_table.hpp"

namespace cli {

namespace {

/// Says under a table what its intervals are, where there is one of each kind.
std::string intervals_note(const Terminal& terminal, const std::vector<harness::Forecast>& forecasts) {
  std::string naive, meant;
  for (const harness::Forecast& forecast : forecasts) {
    if (std::get_if<harness::Interval>(&forecast.tokens_per_s) == nullptr) continue;
    std::string& ids = has_naive_interval(forecast.id) ? naive : meant;
    if ((", " + ids + ", ").find(", " + forecast.id + ", ") == std::string::npos)
      ids += (ids.empty() ? "" : ", ") + forecast.id;
  }
  std::string text;
  if (!meant.empty()) text += paragraph(terminal, "90 %", "are meant to lie inside the interval of " + meant);
  if (!naive.empty()) text += paragraph(terminal, "naive", naive + ": " + naive_interval);
  return text;
}

}  // namespace

bool has_naive_interval(const std::string& id) {
  return id == "dram_roof" || id == "cache_roof" || id == "curve";
}

std::string forecasts_text(const Terminal& terminal, const harness::Submission& submission) {
  Table table{{"forecast", "mode", "tok/s [interval]", "measured / forecast", "inside"}, {}, {0, 1, 4}};
  for (const harness::Forecast& forecast : submission.forecasts) {
    std::vector<std::string> row = {forecast.id, forecast.key.mode};
    if (submission.plans.size() > 1) {
      row.back() += fmt::format(", {}, {}", forecast.key.isa, positions_text(terminal, forecast.key));
    }
    const auto* tokens = std::get_if<harness::Interval>(&forecast.tokens_per_s);
    row.push_back(tokens != nullptr ? format_interval(terminal, *tokens) : "unavailable");
    for (const harness::ForecastError& error : submission.derived.forecast_errors) {
      if (error.id != forecast.id || error.key != forecast.key) continue;
      row.push_back(fmt::format("{:.3f}", error.measured_over_forecast));
      row.emplace_back(error.inside_interval ? "yes" : "no");
      break;
    }
    if (tokens == nullptr)
      row.insert(row.end(), {"", std::get<harness::Unavailable>(forecast.tokens_per_s).reason});
    table.rows.push_back(row);
  }
  return to_text(terminal, table) + intervals_note(terminal, submission.forecasts);
}

}  // namespace cli
