// Scores of forecasts as people and programs read them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/score.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

/// The same scores over the runs that count and over all of them.
struct ScorePair {
  std::vector<analysis::Score> counted, all;
};

/// Everything `tokroof score` tells.
struct ScoreReport {
  analysis::Counting counting;
  std::vector<std::string> machines;  ///< keys
  ScorePair overall, by_machine, by_model, by_mode, by_cell;
};
ScoreReport make_report(const harness::ForecastRecord& record);

enum class Markup { text, markdown };
/// Tables with both scores side by side, and a line for each forecast that a naive one has beaten.
std::string to_text(const Terminal& terminal, const ScoreReport& report, Markup markup);
nlohmann::ordered_json to_json(const ScoreReport& report);

}  // namespace cli
