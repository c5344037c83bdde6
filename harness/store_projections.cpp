// The rows that follow from a document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <type_traits>

#include "harness/counted_run.hpp"
#include "harness/evidence_level.hpp"
#include "harness/store_fingerprints.hpp"
#include "harness/store_origins.hpp"
#include "harness/store_tables.hpp"

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

template <class T>
SqlValue value_or_null(const Reading<T>& reading) {
  if (!available(reading)) return {};
  if constexpr (std::is_same_v<T, bool>)
    return int64_t{std::get<T>(reading)};
  else
    return std::get<T>(reading);
}

Row interval_or_nulls(const Reading<Interval>& reading) {
  if (!available(reading)) return Row(3);
  const Interval& interval = std::get<Interval>(reading);
  return {interval.median, interval.low, interval.high};
}

std::vector<Row> submission_rows(const StoredContent& content) {
  const Submission& submission = content.submission;
  // A claim's run probes what its rules need, not what forecasts do.
  const bool has_probes = submission.protocol != "claim" &&
                          std::any_of(submission.launches.begin(), submission.launches.end(),
                                      [](const Launch& launch) { return launch.purpose == "probes"; });
  const Machine& machine = submission.machine;
  return {{submission.kind, submission.protocol, submission.created_utc, machine.machine_key,
           machine.cpu_model, machine.vendor, machine.arch, int64_t{machine.cores}, int64_t{machine.threads},
           int64_t{machine.virtualised}, submission.suite.isa, submission.suite.version,
           submission.suite.git_commit, int64_t{has_probes}, uncounted_reason(submission),
           content.import ? content.import->imported.level : evidence_level(submission), submission.nonce}};
}

/// Whether a plan may have given a figure.
bool may_give(const Plan& plan, const DecodeResult& result) {
  const DecodeKey& key = result.key;
  return plan.model == key.model && plan.isa == key.isa && plan.arithmetic == key.arithmetic &&
         plan.weights == key.weights && plan.routing == key.routing && plan.threads == key.threads &&
         plan.page_bytes == key.page_bytes && plan.position_first == key.position_first &&
         plan.position_last == key.position_last &&
         std::find(plan.arms.begin(), plan.arms.end(), result.arm) != plan.arms.end();
}

/// Tells which positions a figure is of: "all" of its range, in blocks, or "spread" ones, each alone. Figures
/// stand in the order of their plans, each plan's arm once; "" where no plan fits.
class PositionsOfFigures {
 public:
  explicit PositionsOfFigures(const std::vector<Plan>& plans) : plans_(plans) {}
  std::string next(const DecodeResult& result) {
    while (at_ < plans_.size() && (told_.count(result.arm + result.key.mode + result.key.placement) ||
                                   !may_give(plans_[at_], result))) {
      ++at_;
      told_.clear();
    }
    if (at_ == plans_.size()) return "";
    told_.insert(result.arm + result.key.mode + result.key.placement);
    return plans_[at_].positions.empty() ? "all" : "spread";
  }

 private:
  const std::vector<Plan>& plans_;
  size_t at_ = 0;
  std::set<std::string> told_;
};

std::vector<Row> decode_rows(const StoredContent& content) {
  const Submission& submission = content.submission;
  std::vector<Row> rows;
  if (submission.kind == "failure") return rows;  // it repeats a run that may be there besides
  PositionsOfFigures positions(submission.plans);
  for (const DecodeResult& result : submission.derived.decode) {
    const Interval& speed = result.tokens_per_s;
    Row row =
        key_row(result.key, {result.arm, int64_t{result.launches}, speed.median, speed.low, speed.high,
                             result.weight_bytes_per_token, result.weight_bytes_per_s,
                             value_or_null(result.roof_fraction), result.token_ns_p50, result.token_ns_p99,
                             value_or_null(result.evicted_verified), result.kernel_version, result.invalid,
                             positions.next(result), submission.machine.cpu_model});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> roof_rows(const StoredContent& content) {
  const Submission& submission = content.submission;
  std::vector<Row> rows;
  for (const Roof& roof : submission.derived.roofs) {
    Row row{submission.machine.cpu_model, roof.invalid,    roof.level,     roof.core_kind,
            int64_t{roof.threads},        roof.page_bytes, roof.size_bytes};
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
std::vector<Row> forecast_error_rows(const StoredContent& content) {
  const Submission& submission = content.submission;
  std::vector<Row> rows;
  if (submission.kind == "failure") return rows;  // it repeats a run that may be there besides
  DecodeNumbers decodes;
  std::set<std::tuple<std::string, std::string, int64_t>> told;
  const int64_t counted = uncounted_reason(submission).empty();
  for (const ForecastError& error : submission.derived.forecast_errors) {
    const Interval* forecast = forecast_of(submission, error);
    const double point = forecast ? forecast->median : 1;
    const int64_t decode = decodes.of(error.key, point * error.measured_over_forecast);
    const bool repeats = !told.emplace(error.id, error.version, decode).second;
    rows.push_back(key_row(
        error.key, {error.id, error.version, error.measured_over_forecast, int64_t{error.inside_interval},
                    forecast && forecast->low > 0 ? SqlValue(forecast->high / forecast->low) : SqlValue(),
                    decode, int64_t{repeats}, counted}));
  }
  return rows;
}

std::vector<Row> cache_rows(const StoredContent& content) {
  std::vector<Row> rows;
  for (const CacheEstimate& cache : content.submission.derived.caches) {
    Row row{content.submission.machine.cpu_model,
            cache.level,
            cache.core_kind,
            cache.reported_bytes,
            cache.method,
            cache.retouch};
    for (SqlValue& value : interval_or_nulls(cache.effective_bytes)) row.push_back(std::move(value));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> ratio_rows(const StoredContent& content) {
  std::vector<Row> rows;
  for (const ArmRatio& ratio : content.submission.derived.ratios) {
    rows.push_back(key_row(
        ratio.key, {ratio.name, int64_t{ratio.launches}, ratio.speed_ratio.median, ratio.speed_ratio.low,
                    ratio.speed_ratio.high, content.submission.machine.cpu_model}));
  }
  return rows;
}

std::vector<Row> forecast_rows(const StoredContent& content) {
  std::vector<Row> rows;
  for (const Forecast& forecast : content.submission.forecasts) {
    const auto* missing = std::get_if<Unavailable>(&forecast.tokens_per_s);
    Row row = key_row(forecast.key, {forecast.id, forecast.version, missing ? missing->reason : std::string(),
                                     forecast.made_utc});
    for (SqlValue& value : interval_or_nulls(forecast.tokens_per_s)) row.push_back(std::move(value));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> claim_rows(const StoredContent& content) {
  const auto& claim = content.submission.claim;
  if (!claim) return {};
  return {{claim->id, claim->seal, claim->sealed_utc}};
}

std::vector<Row> verdict_rows(const StoredContent& content) {
  std::vector<Row> rows;
  for (const Verdict& verdict : content.submission.verdicts)
    rows.push_back({verdict.claim, verdict.seal, verdict.verdict});
  return rows;
}

std::vector<Row> failure_rows(const StoredContent& content) {
  const auto& failure = content.submission.failure;
  if (!failure) return {};
  return {
      {failure->claimed, failure->source, failure->observed, failure->stage, int64_t{failure->exit_code}}};
}

std::vector<Row> flag_rows(const StoredContent& content) {
  std::vector<Row> rows;
  for (const Flag& flag : content.submission.derived.flags)
    rows.push_back({flag.code, flag.detail, flag.value});
  return rows;
}

std::vector<Row> import_rows(const StoredContent& content) {
  std::vector<Row> rows;
  if (!content.import) return rows;
  const Imported& imported = content.import->imported;
  for (const ImportedRow& row : imported.rows) {
    rows.push_back({imported.from,
                    row.line,
                    row.label,
                    row.figure,
                    value_or_null(row.mode),
                    value_or_null(row.program),
                    value_or_null(row.measured_utc),
                    value_or_null(row.cpu),
                    value_or_null(row.device),
                    value_or_null(row.model),
                    value_or_null(row.file),
                    value_or_null(row.weight_bytes),
                    value_or_null(row.parameters),
                    value_or_null(row.threads),
                    value_or_null(row.streams),
                    value_or_null(row.tokens),
                    value_or_null(row.repetitions),
                    value_or_null(row.tokens_per_s),
                    value_or_null(row.spread_tokens_per_s),
                    row.level,
                    fmt::format("{}", fmt::join(row.marks, " ")),
                    int64_t{row.comparable},
                    row.limit.word});
  }
  return rows;
}

std::vector<Projection> projections_of_figures() {
  return {
      {"submissions",
       {"kind", "protocol", "created_utc", "machine_key", "cpu_model", "vendor", "arch", "cores", "threads",
        "virtualised", "isa", "suite_version", "git_commit", "has_probes", "uncounted", "level", "nonce"},
       &submission_rows},
      {"decode",
       with_key({"arm", "launches", "tokens_per_s_median", "tokens_per_s_low", "tokens_per_s_high",
                 "weight_bytes_per_token", "weight_bytes_per_s", "roof_fraction", "token_ns_p50",
                 "token_ns_p99", "evicted_verified", "kernel_version", "invalid", "positions", "cpu_model"}),
       &decode_rows},
      {"ratios",
       with_key(
           {"name", "launches", "speed_ratio_median", "speed_ratio_low", "speed_ratio_high", "cpu_model"}),
       &ratio_rows},
      {"roofs",
       {"cpu_model", "invalid", "level", "core_kind", "threads", "page_bytes", "size_bytes",
        "read_bytes_per_s_median", "read_bytes_per_s_low", "read_bytes_per_s_high", "load_latency_ns_median",
        "load_latency_ns_low", "load_latency_ns_high"},
       &roof_rows},
      {"caches",
       {"cpu_model", "level", "core_kind", "reported_bytes", "method", "retouch", "effective_bytes_estimate",
        "effective_bytes_low", "effective_bytes_high"},
       &cache_rows}};
}

std::vector<Projection> projections_of_the_rest() {
  return {{"forecasts",
           with_key({"id", "version", "unavailable", "made_utc", "tokens_per_s_point", "tokens_per_s_low",
                     "tokens_per_s_high"}),
           &forecast_rows},
          {"forecast_errors",
           with_key({"id", "version", "measured_over_forecast", "inside_interval", "interval_ratio", "decode",
                     "repeats", "counted"}),
           &forecast_error_rows},
          {"claims", {"claim", "seal", "sealed_utc"}, &claim_rows},
          {"verdicts", {"claim", "seal", "verdict"}, &verdict_rows},
          {"failures", {"claimed", "source", "observed", "stage", "exit_code"}, &failure_rows},
          {"flags", {"code", "detail", "value"}, &flag_rows},
          {"imports",
           {"source",
            "line",
            "label",
            "figure",
            "mode",
            "program",
            "measured_utc",
            "cpu_model",
            "device",
            "model",
            "file",
            "weight_bytes",
            "parameters",
            "threads",
            "streams",
            "tokens",
            "repetitions",
            "tokens_per_s",
            "spread_tokens_per_s",
            "level",
            "marks",
            "comparable",
            "limit_word"},
           &import_rows}};
}

std::vector<Projection> all_projections() {
  std::vector<Projection> all = projections_of_figures();
  for (Projection& projection : projections_of_the_rest()) all.push_back(std::move(projection));
  for (Projection& projection : projections_of_origins()) all.push_back(std::move(projection));
  for (Projection& projection : projections_of_fingerprints()) all.push_back(std::move(projection));
  return all;
}

}  // namespace

const std::vector<Projection>& projections() {
  static const std::vector<Projection> all = all_projections();
  return all;
}

}  // namespace harness
