// What `tokroof predict` answers about one machine and one model, and how it is shown.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/fact_forecast.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

struct Prediction {
  analysis::MachineFacts machine;
  analysis::Work work;
  std::vector<analysis::CoreForecast> kinds;  ///< as machine.kinds
  int threads = 1;
};

/// Forecasts every kind of core, with so many of its cores together.
Prediction predict_from(analysis::MachineFacts machine, analysis::Work work, int threads = 1);

/// Returns whether anything could be forecast for any kind of core.
bool says_something(const Prediction& prediction);

/// docs/forecasts.md, "The answer", lists the members.
nlohmann::ordered_json prediction_json(const Prediction& prediction);
std::string prediction_text(const Terminal& terminal, const Prediction& prediction);

}  // namespace cli
