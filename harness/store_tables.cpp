#include "harness/store_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/counted_run.hpp"
#include "harness/digest.hpp"

namespace harness {
namespace {

using Row = std::vector<SqlValue>;

const std::vector<std::string> key_columns{"model",      "mode",      "placement",      "isa",
                                           "arithmetic", "weights",   "routing",        "threads",
                                           "page_bytes", "core_kind", "position_first", "position_last"};

std::vector<std::string> with_key(std::vector<std::string> columns) {
  columns.insert(columns.begin(), key_columns.begin(), key_columns.end());
  return columns;
}

Row key_row(const DecodeKey& key, Row rest) {
  Row row{key.model,
          key.mode,
          key.placement,
          key.isa,
          key.arithmetic,
          key.weights,
          key.routing,
          int64_t{key.threads},
          key.page_bytes,
          key.core_kind,
          int64_t{key.position_first},
          int64_t{key.position_last}};
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

SqlValue value_or_null(const Reading<double>& reading) {
  return available(reading) ? SqlValue(std::get<double>(reading)) : SqlValue();
}

Row interval_or_nulls(const Reading<Interval>& reading) {
  if (!available(reading)) return Row(3);
  const Interval& interval = std::get<Interval>(reading);
  return {interval.median, interval.low, interval.high};
}

std::vector<Row> submission_rows(const Submission& submission) {
  // A claim's run probes what its rules need, not what forecasts do.
  const bool has_probes = submission.protocol != "claim" &&
                          std::any_of(submission.launches.begin(), submission.launches.end(),
                                      [](const Launch& launch) { return launch.purpose == "probes"; });
  return {{submission.kind, submission.protocol, submission.created_utc, submission.machine.machine_key,
           submission.machine.cpu_model, submission.suite.isa, int64_t{has_probes},
           uncounted_reason(submission)}};
}

std::vector<Row> decode_rows(const Submission& submission) {
  std::vector<Row> rows;
  for (const DecodeResult& result : submission.derived.decode) {
    const Interval& speed = result.tokens_per_s;
    rows.push_back(key_row(result.key, {result.arm, int64_t{result.launches}, speed.median, speed.low,
                                        speed.high, result.weight_bytes_per_token, result.weight_bytes_per_s,
                                        value_or_null(result.roof_fraction)}));
  }
  return rows;
}

std::vector<Row> roof_rows(const Submission& submission) {
  std::vector<Row> rows;
  for (const Roof& roof : submission.derived.roofs) {
    Row row{roof.level, roof.core_kind, int64_t{roof.threads}, roof.page_bytes, roof.size_bytes};
    for (const auto& reading : {roof.read_bytes_per_s, roof.load_latency_ns}) {
      for (SqlValue& value : interval_or_nulls(reading)) row.push_back(std::move(value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The forecast that an error judges, or nullptr.
const Interval* forecast_of(const Submission& submission, const ForecastError& error) {
  for (const Forecast& forecast : submission.forecasts) {
    if (forecast.id == error.id && forecast.version == error.version && forecast.key == error.key)
      return std::get_if<Interval>(&forecast.tokens_per_s);
  }
  return nullptr;
}

/// Numbers the decodes of one document by their key and what was measured.
class DecodeNumbers {
 public:
  int64_t of(const DecodeKey& key, double measured) {
    for (const Seen& seen : seen_) {
      if (seen.key == key && std::abs(seen.measured - measured) <= written_digits * measured)
        return seen.number;
    }
    const auto number = static_cast<int64_t>(seen_.size());
    seen_.push_back({key, measured, number});
    return number;
  }

 private:
  // A document holds nine digits of the two factors of a figure.
  static constexpr double written_digits = 1e-7;
  struct Seen {
    DecodeKey key;
    double measured;
    int64_t number;
  };
  std::vector<Seen> seen_;
};

/// Two plans that decode the same in different ways have one key: then the same forecast stands twice and
/// judges each of their figures twice.
std::vector<Row> forecast_error_rows(const Submission& submission) {
  std::vector<Row> rows;
  DecodeNumbers decodes;
  std::set<std::tuple<std::string, std::string, int64_t>> told;
  for (const ForecastError& error : submission.derived.forecast_errors) {
    const Interval* forecast = forecast_of(submission, error);
    const double point = forecast ? forecast->median : 1;
    const int64_t decode = decodes.of(error.key, point * error.measured_over_forecast);
    const bool repeats = !told.emplace(error.id, error.version, decode).second;
    rows.push_back(key_row(
        error.key, {error.id, error.version, error.measured_over_forecast, int64_t{error.inside_interval},
                    forecast && forecast->low > 0 ? SqlValue(forecast->high / forecast->low) : SqlValue(),
                    decode, int64_t{repeats}}));
  }
  return rows;
}

}  // namespace

std::string chain_hash(const std::string& prev_hash, const std::string& content_sha256,
                       const std::string& received_utc) {
  return sha256_hex(prev_hash + content_sha256 + received_utc);
}

const std::vector<Projection>& projections() {
  static const std::vector<Projection> all{
      {"submissions",
       {"kind", "protocol", "created_utc", "machine_key", "cpu_model", "isa", "has_probes", "uncounted"},
       &submission_rows},
      {"decode",
       with_key({"arm", "launches", "tokens_per_s_median", "tokens_per_s_low", "tokens_per_s_high",
                 "weight_bytes_per_token", "weight_bytes_per_s", "roof_fraction"}),
       &decode_rows},
      {"roofs",
       {"level", "core_kind", "threads", "page_bytes", "size_bytes", "read_bytes_per_s_median",
        "read_bytes_per_s_low", "read_bytes_per_s_high", "load_latency_ns_median", "load_latency_ns_low",
        "load_latency_ns_high"},
       &roof_rows},
      {"forecast_errors",
       with_key({"id", "version", "measured_over_forecast", "inside_interval", "interval_ratio", "decode",
                 "repeats"}),
       &forecast_error_rows}};
  return all;
}

void insert_projections(Database& database, int64_t sequence, const Submission& submission) {
  for (const Projection& projection : projections()) {
    std::string marks;
    for (size_t i = 0; i < projection.columns.size(); ++i) marks += ", ?";
    Statement insert =
        database.prepare(fmt::format("INSERT INTO {} (document, ordinal, {}) VALUES (?, ?{})",
                                     projection.table, fmt::join(projection.columns, ", "), marks));
    int64_t ordinal = 0;
    for (const auto& row : projection.rows(submission)) {
      insert.reset();
      insert.bind(1, sequence);
      insert.bind(2, ordinal++);
      for (size_t i = 0; i < row.size(); ++i) insert.bind(static_cast<int>(i) + 3, row[i]);
      insert.step();
    }
  }
}

}  // namespace harness
