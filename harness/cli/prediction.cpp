#include "harness/cli/prediction.hpp"

#include <utility>

#include "analysis/team_facts.hpp"

namespace cli {

Prediction predict_from(analysis::MachineFacts machine, analysis::Work work, int threads) {
  for (analysis::CoreFacts& core : machine.kinds) core = analysis::facts_of_team(std::move(core), threads);
  Prediction prediction{std::move(machine), std::move(work), {}, threads};
  for (const analysis::CoreFacts& core : prediction.machine.kinds)
    prediction.kinds.push_back(analysis::forecast_core(core, prediction.work));
  return prediction;
}

bool says_something(const Prediction& prediction) {
  for (const auto& kind : prediction.kinds) {
    for (const auto& forecast : kind.forecasts) {
      if (harness::available(forecast.tokens_per_s)) return true;
    }
  }
  return false;
}

}  // namespace cli
