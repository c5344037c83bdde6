// How the forecasts of stored runs turned out: what scores and model errors are made of.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// A stored run that judged forecasts.
struct ForecastRun {
  int64_t sequence = 0;
  std::string content_sha256, machine_key, cpu_model;
  std::string uncounted;  ///< "" or why it does not count (harness/counted_run.hpp)
};

/// One forecast against one decode figure.
struct ForecastFigure {
  size_t run = 0;  ///< index into ForecastRecord::runs
  int decode = 0;  ///< which figure of that run: forecasts of the same number were of the same decode
  std::string id, version, model, mode;
  double measured_over_forecast = 1;
  bool inside_interval = false;
  double interval_ratio = 1;  ///< high ÷ low; 0: not known
};

struct ForecastRecord {
  std::vector<ForecastRun> runs;        ///< as they were stored, those alone that have figures
  std::vector<ForecastFigure> figures;  ///< in the order of their runs
};

/// Which figures; "" for any.
struct ForecastFilter {
  std::string id, version, machine_key_prefix, model, mode;
  std::string protocol = {};
};

}  // namespace harness
