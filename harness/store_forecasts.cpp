// How forecasts turned out, over all documents: read from the projections, never from the texts.
#include "harness/store_state.hpp"

namespace harness {
namespace {

// "" stands for any; a prefix is compared as one.
constexpr const char* figures_sql =
    "SELECT e.document, d.content_sha256, s.machine_key, s.cpu_model, s.uncounted, e.decode, e.id, "
    "e.version, "
    "e.model, e.mode, e.measured_over_forecast, e.inside_interval, e.interval_ratio "
    "FROM forecast_errors AS e JOIN submissions AS s ON s.document = e.document "
    "JOIN documents AS d ON d.sequence = e.document "
    "WHERE e.repeats = 0 AND ?1 IN ('', e.id) AND ?2 IN ('', e.version) AND ?3 IN ('', e.model) "
    "AND ?4 IN ('', e.mode) AND ?6 IN ('', s.protocol) AND substr(s.machine_key, 1, length(?5)) = ?5 ORDER "
    "BY e.document, e.ordinal";

double real_or(const Statement& row, int column, double otherwise) {
  const SqlValue value = row.value(column);
  const double* real = std::get_if<double>(&value);
  return real ? *real : otherwise;
}

}  // namespace

ForecastRecord Store::forecast_record(const ForecastFilter& filter) {
  Statement rows = state_->database.prepare(figures_sql);
  rows.bind(1, filter.id);
  rows.bind(2, filter.version);
  rows.bind(3, filter.model);
  rows.bind(4, filter.mode);
  rows.bind(5, filter.machine_key_prefix);
  rows.bind(6, filter.protocol);
  ForecastRecord record;
  while (rows.step()) {
    const int64_t sequence = rows.integer(0);
    if (record.runs.empty() || record.runs.back().sequence != sequence)
      record.runs.push_back({sequence, rows.text(1), rows.text(2), rows.text(3), rows.text(4)});
    record.figures.push_back({record.runs.size() - 1, static_cast<int>(rows.integer(5)), rows.text(6),
                              rows.text(7), rows.text(8), rows.text(9), real_or(rows, 10, 1),
                              rows.integer(11) != 0, real_or(rows, 12, 0)});
  }
  return record;
}

}  // namespace harness
