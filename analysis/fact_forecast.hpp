// Tokens per second of one core: from facts, what is known of a machine on which nobody has decoded, and from
// its probes where there are some. docs/forecasts.md, "A CPU that nobody measured", gives the arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/fact_width.hpp"
#include "harness/statistics.hpp"

namespace analysis {

/// One forecast model's answer.
struct FactForecast {
  std::string id, version;
  harness::Reading<harness::Interval> tokens_per_s;  ///< median = point; 90 % interval
};

/// From which size of last-level cache on a mixture of experts has its full speed.
struct ConstantSpeed {
  double from_bytes = 0;  ///< what every token reads, K and V, and all experts
  std::string level;      ///< this core's last cache; "" without one
  double holds_bytes = 0;
  std::optional<bool> here;  ///< nothing: the size that serves is not known well enough to tell
};

/// Everything that can be said of one kind of core.
struct CoreForecast {
  std::string core_kind, isa;
  std::vector<FactForecast> forecasts;  ///< dram_roof, cache_roof, … ; the answer last
  std::string answer;                   ///< the id of the one to go by: catalogue_prior or ecm
  std::optional<FactForecast> flushed;  ///< ecm, where it is the answer, when every token starts from memory
  std::vector<LevelShare> served_by;    ///< ascending; empty when no level is known
  std::vector<Term> terms;              ///< of the answer; longest first
  harness::Reading<std::string> limit;  ///< in words: what most of a token's time goes to
  std::vector<Contribution> why;        ///< of the answer's interval; largest first
  std::optional<ConstantSpeed> constant_speed;
  harness::Reading<int64_t> fit_half_l3_bytes;
  harness::Reading<int64_t> fit_half_life_bytes;  ///< weights that one lap keeps warm
};

CoreForecast forecast_core(const CoreFacts& core, const Work& work);

/// Returns the forecast of this id, or nullptr.
const FactForecast* find_forecast(const CoreForecast& forecast, const std::string& id);

/// Sets fit_half_life_bytes: a lap of so many weights, at the answer's speed, takes half of the half-life of
/// the last cache's lines; at most what that cache holds.
void set_half_life_fit(CoreForecast& forecast, const CoreFacts& core, const Work& work);

}  // namespace analysis
