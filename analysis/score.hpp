// How good forecasts have been: scores over the figures of stored runs. Pure; docs/forecasts.md gives the
// arithmetic.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/statistics.hpp"
#include "harness/store_forecasts.hpp"

namespace analysis {

/// The forecasts that need no model of anything: what others must beat.
inline constexpr const char* naive_forecasts[] = {"dram_roof", "cache_roof"};

/// How a forecast did against a naive one where both forecast the same decodes.
struct Comparison {
  std::string naive;
  int64_t decodes = 0;
  double own_log_error = 0, naive_log_error = 0;  ///< medians of |ln(measured ÷ forecast)|
  [[nodiscard]] bool beaten() const { return decodes > 0 && own_log_error > naive_log_error; }
};

/// One forecast model over a group of figures. Empty selectors mean all.
struct Score {
  std::string machine_key, model, mode, id, version;
  int64_t figures = 0, runs = 0;
  double log_error = 0;        ///< median of |ln(measured ÷ forecast)|
  double ratio_error = 0;      ///< median of |measured ÷ forecast − 1|
  double worst_log_error = 0;  ///< largest of |ln(measured ÷ forecast)|
  std::string worst_decode;    ///< its model and mode
  double log_bias = 0;         ///< median of ln(measured ÷ forecast): above 0 the forecast is too low
  harness::Interval coverage;  ///< share of figures inside the interval, with its exact 95 % interval
  double width_ratio = 0;      ///< median of high ÷ low; 0: not known
  std::vector<Comparison> against_naive;  ///< of every other forecast
};

/// What figures are grouped by, besides forecast and version.
enum class By { nothing, machine, model, mode, cell };  // cell: all three

/// Scores the figures of the runs that count, or of all. Groups come in the order of their names, of each the
/// naive forecasts first.
std::vector<Score> score(const harness::ForecastRecord& record, By by, bool counted_only);

/// How many runs count, and of the others how many for each reason.
struct Counting {
  int64_t counted = 0, excluded = 0;
  std::vector<std::pair<std::string, int64_t>> reasons;  ///< by name
};
Counting count_runs(const harness::ForecastRecord& record);

}  // namespace analysis
