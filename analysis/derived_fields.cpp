#include "analysis/derived_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace analysis {

using harness::Interval;
using harness::Reading;
using harness::Unavailable;

namespace {

constexpr double real_tolerance_ratio = 1e-6;

struct Lister {
  std::vector<DerivedField> fields;
  std::string at;  ///< pointer of the object that is listed

  void add(const std::string& key, int64_t value) { fields.push_back({at + "/" + key, value}); }
  void add(const std::string& key, int value) { add(key, int64_t{value}); }
  void add(const std::string& key, bool value) { add(key, int64_t{value}); }
  void add(const std::string& key, double value) { fields.push_back({at + "/" + key, value}); }
  void add(const std::string& key, const std::string& value) { fields.push_back({at + "/" + key, value}); }
  void add(const std::string& key, const Interval& value, const char* middle = "median") {
    add(key + "/" + middle, value.median);
    add(key + "/low", value.low);
    add(key + "/high", value.high);
  }
  template <class T>
  void add(const std::string& key, const Reading<T>& reading) {
    if (const auto* why = std::get_if<Unavailable>(&reading)) {
      add(key + "/unavailable", why->reason);
    } else {
      add(key, std::get<T>(reading));
    }
  }
};

void list(Lister& to, const harness::DecodeKey& key) {
  to.add("model", key.model);
  to.add("mode", key.mode);
  to.add("placement", key.placement);
  to.add("isa", key.isa);
  to.add("arithmetic", key.arithmetic);
  to.add("weights", key.weights);
  to.add("routing", key.routing);
  to.add("threads", key.threads);
  to.add("page_bytes", key.page_bytes);
  to.add("core_kind", key.core_kind);
  to.add("position_first", key.position_first);
  to.add("position_last", key.position_last);
}

void list(Lister& to, const harness::Roof& roof) {
  to.add("level", roof.level);
  to.add("core_kind", roof.core_kind);
  to.add("threads", roof.threads);
  to.add("page_bytes", roof.page_bytes);
  to.add("size_bytes", roof.size_bytes);
  to.add("read_bytes_per_s", roof.read_bytes_per_s);
  to.add("load_latency_ns", roof.load_latency_ns);
  to.add("invalid", roof.invalid);
}

void list(Lister& to, const harness::CacheEstimate& cache) {
  to.add("level", cache.level);
  to.add("core_kind", cache.core_kind);
  to.add("reported_bytes", cache.reported_bytes);
  if (const auto* effective = std::get_if<Interval>(&cache.effective_bytes)) {
    to.add("effective_bytes", *effective, "estimate");
  } else {
    to.add("effective_bytes", cache.effective_bytes);
  }
  to.add("method", cache.method);
  to.add("retouch", cache.retouch);
  if (cache.retouch_ns) to.add("retouch_ns", *cache.retouch_ns);
}

void list(Lister& to, const harness::RetentionEstimate& retention) {
  to.add("level", retention.level);
  to.add("core_kind", retention.core_kind);
  to.add("set_bytes", retention.set_bytes);
  to.add("delays", retention.delays);
  to.add("longest_delay_ns", retention.longest_delay_ns);
  if (const auto* half_life = std::get_if<Interval>(&retention.half_life_ns)) {
    to.add("half_life_ns", *half_life, "estimate");
  } else {
    to.add("half_life_ns", retention.half_life_ns);
  }
  if (retention.longer_than_ns) to.add("longer_than_ns", *retention.longer_than_ns);
  to.add("method", retention.method);
}

void list(Lister& to, const harness::JumpEstimate& jump) {
  to.add("pool_bytes", jump.pool_bytes);
  to.add("core_kind", jump.core_kind);
  to.add("page_bytes", jump.page_bytes);
  to.add("jump_ns", jump.jump_ns);
  to.add("read_bytes_per_s", jump.read_bytes_per_s);
  to.add("misfit_ratio", jump.misfit_ratio);
}

void list(Lister& to, const harness::DecodeResult& result) {
  list(to, result.key);
  to.add("arm", result.arm);
  to.add("launches", result.launches);
  to.add("tokens_per_s", result.tokens_per_s);
  to.add("token_ns_p50", result.token_ns_p50);
  to.add("token_ns_p99", result.token_ns_p99);
  to.add("weight_bytes_per_token", result.weight_bytes_per_token);
  to.add("weight_bytes_per_s", result.weight_bytes_per_s);
  to.add("roof_fraction", result.roof_fraction);
  to.add("evicted_verified", result.evicted_verified);
  to.add("kernel_version", result.kernel_version);
  to.add("invalid", result.invalid);
}

void list(Lister& to, const harness::ArmRatio& ratio) {
  to.add("name", ratio.name);
  list(to, ratio.key);
  to.add("launches", ratio.launches);
  to.add("speed_ratio", ratio.speed_ratio);
}

void list(Lister& to, const std::string& key, const harness::SlowdownPart& part) {
  to.add(key + "/word", part.word);
  to.add(key + "/time_ratio", part.time_ratio);
}

void list(Lister& to, const harness::Slowdown& slowdown) {
  to.add("arm", slowdown.arm);
  list(to, slowdown.key);
  to.add("launches", slowdown.launches);
  to.add("time_ratio", slowdown.time_ratio);
  list(to, "core_sharing", slowdown.core_sharing);
  list(to, "bandwidth", slowdown.bandwidth);
  list(to, "eviction", slowdown.eviction);
}

void list(Lister& to, const harness::Interference& interference) {
  to.add("placement", interference.placement);
  to.add("antagonist", interference.antagonist);
  to.add("size_bytes", interference.size_bytes);
  to.add("samples", interference.samples);
  to.add("time_ratio", interference.time_ratio);
}

void list(Lister& to, const harness::ForecastError& error) {
  to.add("id", error.id);
  to.add("version", error.version);
  list(to, error.key);
  to.add("measured_over_forecast", error.measured_over_forecast);
  to.add("inside_interval", error.inside_interval);
}

void list(Lister& to, const harness::Flag& flag) {
  to.add("code", flag.code);
  to.add("detail", flag.detail);
  to.add("value", flag.value);
}

template <class T>
void list_all(Lister& to, const char* key, const std::vector<T>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    to.at = fmt::format("/derived/{}/{}", key, i);
    list(to, items[i]);
  }
}

}  // namespace

std::vector<DerivedField> derived_fields(const harness::Derived& derived) {
  Lister lister;
  list_all(lister, "roofs", derived.roofs);
  list_all(lister, "caches", derived.caches);
  list_all(lister, "retention", derived.retention);
  list_all(lister, "jumps", derived.jumps);
  list_all(lister, "decode", derived.decode);
  list_all(lister, "ratios", derived.ratios);
  list_all(lister, "slowdown", derived.slowdowns);
  list_all(lister, "interference", derived.interference);
  list_all(lister, "forecast_errors", derived.forecast_errors);
  list_all(lister, "flags", derived.flags);
  return std::move(lister.fields);
}

std::string field_text(const DerivedField& field) {
  if (const auto* text = std::get_if<std::string>(&field.value))
    return fmt::format("\"{}\"", text->substr(0, 60));
  if (const auto* real = std::get_if<double>(&field.value)) return fmt::format("{:.9g}", *real);
  return fmt::format("{}", std::get<int64_t>(field.value));
}

bool same_value(const DerivedField& stated, const DerivedField& recomputed) {
  const auto* left = std::get_if<double>(&stated.value);
  const auto* right = std::get_if<double>(&recomputed.value);
  if (!left || !right) return stated.value == recomputed.value;
  // Written so that a NaN is never the same.
  return std::abs(*left - *right) <= real_tolerance_ratio * std::max(std::abs(*left), std::abs(*right));
}

}  // namespace analysis
