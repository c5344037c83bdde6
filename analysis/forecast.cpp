#include "analysis/forecast.hpp"

#include <fmt/format.h>

#include "analysis/probe_series.hpp"
#include "analysis/serving_roof.hpp"
#include "harness/digest.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

using harness::Curve;
using harness::Forecast;
using harness::Interval;
using harness::Reading;
using harness::Submission;
using harness::Unavailable;

namespace {

// Forecasts are of one decode to come, so the interval is that of one further sample.
constexpr auto spread = harness::Spread::of_next_90;

Reading<Interval> at_largest(const Reading<Curve>& curve) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const auto& made = std::get<Curve>(curve);
  return Interval{made.values.back(), made.low.back(), made.high.back()};
}

/// `weight_bytes`: all that must be resident, every expert included.
Reading<Interval> cache_bandwidth(const Submission& probed, const Reading<Curve>& curve,
                                  int64_t weight_bytes) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  if (const int level = holding_cache_level(probed.machine, weight_bytes)) {
    const int64_t size = roof_size_bytes(probed.machine, level);
    const auto point = harness::read_at(std::get<Curve>(curve), static_cast<double>(size));
    if (!point.clamped) return point.value;
    return Unavailable{fmt::format("load_bandwidth does not reach {} bytes, where the roof of {} is read",
                                   size, level_name(level))};
  }
  const auto* largest = last_level_cache(probed.machine);
  if (!largest) return Unavailable{"this machine reports no data cache"};
  return Unavailable{fmt::format("no reported cache holds {} bytes of weights; the largest has {}",
                                 weight_bytes, largest->bytes)};
}

Reading<Interval> curve_bandwidth(const Reading<Curve>& curve, int64_t working_set_bytes) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  if (std::get<Curve>(curve).values.size() < 2)
    return Unavailable{"load_bandwidth has one size alone: no curve"};
  return harness::read_at(std::get<Curve>(curve), static_cast<double>(working_set_bytes)).value;
}

Reading<Interval> per_token(const Reading<Interval>& bytes_per_s, int64_t weight_bytes) {
  if (const auto* why = std::get_if<Unavailable>(&bytes_per_s)) return *why;
  const auto& rate = std::get<Interval>(bytes_per_s);
  const double bytes = static_cast<double>(weight_bytes);
  return Interval{rate.median / bytes, rate.low / bytes, rate.high / bytes};
}

std::string samples_text(const harness::Series& series) {
  std::string text;
  for (size_t i = 0; i < series.samples_by_size.size(); ++i) {
    const int64_t size = i < series.sizes_bytes.size() ? series.sizes_bytes[i] : 0;
    const int64_t work = i < series.work_per_sample.size() ? series.work_per_sample[i] : 0;
    text += fmt::format("{} {} {}\n", size, work, fmt::join(series.samples_by_size[i], " "));
  }
  return text;
}

/// What tells the series of one probe apart.
std::string params_text(const harness::Series& series) {
  std::string text;
  for (const char* name : {"isa", "kernel", "cols", "heads", "levels", "call_bytes", "short_call_bytes",
                           "far_call_bytes", "pool_bytes", "format", "experts", "blocks", "top_k",
                           "between_bytes", "pool_token_ns", "pool_slow_token_ns", "threads"}) {
    const auto found = series.params.find(name);
    if (found == series.params.end()) continue;
    if (const auto* word = std::get_if<std::string>(&found->second))
      text += fmt::format(" {}={}", name, *word);
    if (const auto* count = std::get_if<int64_t>(&found->second)) text += fmt::format(" {}={}", name, *count);
  }
  return text;
}

/// All params: canonical JSON does not tell 2.0 from 2.
std::string all_params_text(const harness::Series& series) {
  std::string text;
  for (const auto& [name, param] : series.params) {
    text += fmt::format(" {}=", name);
    if (const auto* word = std::get_if<std::string>(&param)) text += *word;
    if (const auto* count = std::get_if<int64_t>(&param))
      text += fmt::format("{:.9g}", static_cast<double>(*count));
    if (const auto* real = std::get_if<double>(&param)) text += fmt::format("{:.9g}", *real);
  }
  return text;
}

/// The text whose digest is inputs_sha256; docs/forecasts.md gives its form.
std::string inputs_text(const Submission& probed) {
  std::string text = "tokroof/forecast-inputs/1\n";
  for (const auto& cache : probed.machine.caches) {
    text += fmt::format("cache {} {} {}\n", cache.level, cache.type, cache.bytes);
  }
  for (const char* probe : {"load_bandwidth", "dram_stream"}) {
    const auto found = find_series(probed, "probes", probe);
    if (!available(found)) {
      text += fmt::format("{} unavailable\n", probe);
      continue;
    }
    const auto& series = *std::get<const harness::Series*>(found);
    text += fmt::format("{} {}\n", probe, series.work_unit) + samples_text(series);
  }
  for (const auto& launch : probed.launches) {
    if (launch.purpose != "probes") continue;
    for (const auto& series : launch.series) {
      if (series.status != harness::Status::ok) continue;
      if (series.probe == "kernel_rates" || series.probe == "chunked_stream" || series.probe == "barrier")
        text += fmt::format("{}{}\n", series.probe, params_text(series)) + samples_text(series);
      if (series.probe == "interference")
        text += fmt::format("{} {}{}\n", series.probe, series.placement, all_params_text(series)) +
                samples_text(series);
      if (series.probe.starts_with("retention") || series.probe.starts_with("eviction"))
        text += fmt::format("{}{}\n", series.probe, all_params_text(series)) + samples_text(series);
    }
  }
  return text;
}

}  // namespace

std::vector<Forecast> make_forecasts(const Submission& probed, const models::Shape& shape,
                                     const harness::DecodeKey& key, const harness::ModelError& error) {
  const auto bandwidth = find_curve(probed, "probes", "load_bandwidth", spread, key.threads);
  const auto dram = find_curve(probed, "probes", "dram_stream", spread, key.threads);
  const auto cost = models::cost(shape);
  const std::string inputs = harness::sha256_hex(inputs_text(probed));
  std::vector<Forecast> forecasts;
  const auto add = [&](const std::string& id, const Reading<Interval>& bytes_per_s) {
    Forecast forecast;
    forecast.id = id;
    forecast.version = roofs_version;
    forecast.key = key;
    forecast.inputs_sha256 = inputs;
    forecast.tokens_per_s = per_token(bytes_per_s, cost.weight_bytes_per_token);
    forecasts.push_back(forecast);
  };
  add("dram_roof", at_largest(dram));
  if (harness::evicts_weights(key.mode)) {
    add("curve", at_largest(bandwidth));
  } else {
    add("cache_roof", cache_bandwidth(probed, bandwidth, resident_bytes(shape, cost)));
    add("curve", curve_bandwidth(bandwidth, cost.working_set_bytes));
  }
  Forecast ecm = forecasts.back();
  ecm.id = "ecm";
  ecm.version = ecm_version;
  const auto made = ecm_forecast(probed, shape, key);
  if (const auto* why = std::get_if<Unavailable>(&made)) {
    ecm.tokens_per_s = *why;
  } else {
    ecm.tokens_per_s = tokens_per_s(std::get<EcmForecast>(made), error);
    ecm.model_error = error;
    ecm.experts = of_experts(std::get<EcmForecast>(made));
  }
  forecasts.push_back(ecm);
  return forecasts;
}

}  // namespace analysis
