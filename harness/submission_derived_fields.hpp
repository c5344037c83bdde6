// The keys of `derived`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include "harness/submission_key_fields.hpp"

namespace harness {

template <class Io, Like<Roof> T>
void fields(Io& io, T& value) {
  io("level", value.level);
  io("core_kind", value.core_kind);
  io("threads", value.threads);
  io("page_bytes", value.page_bytes);
  io("size_bytes", value.size_bytes);
  io("read_bytes_per_s", value.read_bytes_per_s);
  io("load_latency_ns", value.load_latency_ns);
  io.optional("invalid", value.invalid);
}

template <class Io, Like<CacheEstimate> T>
void fields(Io& io, T& value) {
  io("level", value.level);
  io("core_kind", value.core_kind);
  io("reported_bytes", value.reported_bytes);
  centred<Centre::estimate>(io, "effective_bytes", value.effective_bytes);
  io("method", value.method);
  io("retouch", value.retouch);
  io.optional("retouch_ns", value.retouch_ns);
}

template <class Io, Like<RetentionEstimate> T>
void fields(Io& io, T& value) {
  io("level", value.level);
  io("core_kind", value.core_kind);
  io("set_bytes", value.set_bytes);
  io("delays", value.delays);
  io("longest_delay_ns", value.longest_delay_ns);
  centred<Centre::estimate>(io, "half_life_ns", value.half_life_ns);
  io.optional("longer_than_ns", value.longer_than_ns);
  io("method", value.method);
}

template <class Io, Like<JumpEstimate> T>
void fields(Io& io, T& value) {
  io("pool_bytes", value.pool_bytes);
  io("core_kind", value.core_kind);
  io("page_bytes", value.page_bytes);
  io("jump_ns", value.jump_ns);
  io("read_bytes_per_s", value.read_bytes_per_s);
  io("misfit_ratio", value.misfit_ratio);
}

template <class Io, Like<DecodeResult> T>
void fields(Io& io, T& value) {
  whole_key_fields(io, value.key);
  io("arm", value.arm);
  io("launches", value.launches);
  io("tokens_per_s", value.tokens_per_s);
  io("token_ns_p50", value.token_ns_p50);
  io("token_ns_p99", value.token_ns_p99);
  io("weight_bytes_per_token", value.weight_bytes_per_token);
  io("weight_bytes_per_s", value.weight_bytes_per_s);
  io("roof_fraction", value.roof_fraction);
  io("evicted_verified", value.evicted_verified);
  io("kernel_version", value.kernel_version);
  io.optional("invalid", value.invalid);
}

template <class Io, Like<ArmRatio> T>
void fields(Io& io, T& value) {
  io("name", value.name);
  fields(io, value.key);
  io("launches", value.launches);
  io("speed_ratio", value.speed_ratio);
}

template <class Io, Like<SlowdownPart> T>
void fields(Io& io, T& value) {
  io("word", value.word);
  io("time_ratio", value.time_ratio);
}

template <class Io, Like<Slowdown> T>
void fields(Io& io, T& value) {
  io("arm", value.arm);
  fields(io, value.key);
  io("launches", value.launches);
  io("time_ratio", value.time_ratio);
  io("core_sharing", value.core_sharing);
  io("bandwidth", value.bandwidth);
  io("eviction", value.eviction);
}

template <class Io, Like<Interference> T>
void fields(Io& io, T& value) {
  io("placement", value.placement);
  io("antagonist", value.antagonist);
  io("size_bytes", value.size_bytes);
  io("samples", value.samples);
  io("time_ratio", value.time_ratio);
}

template <class Io, Like<ForecastError> T>
void fields(Io& io, T& value) {
  io("id", value.id);
  io.optional("version", value.version);
  shared_key_fields(io, value.key);
  io("measured_over_forecast", value.measured_over_forecast);
  io("inside_interval", value.inside_interval);
}

template <class Io, Like<Flag> T>
void fields(Io& io, T& value) {
  io("code", value.code);
  io("detail", value.detail);
  io("value", value.value);
}

template <class Io, Like<Derived> T>
void fields(Io& io, T& value) {
  io("roofs", value.roofs);
  io("caches", value.caches);
  io.optional("retention", value.retention);
  io.optional("jumps", value.jumps);
  io("decode", value.decode);
  io("ratios", value.ratios);
  io.optional("slowdown", value.slowdowns);
  io.optional("interference", value.interference);
  if constexpr (Io::writing) {
    io("forecast_errors", without_repeated_keys(value.forecast_errors));
  } else {
    io("forecast_errors", value.forecast_errors);
    repeat_selectors(value.forecast_errors, io.place("forecast_errors"));
  }
  io("flags", value.flags);
}

}  // namespace harness
