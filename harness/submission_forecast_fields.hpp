// The keys of `forecasts`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <optional>
#include <vector>

#include "harness/submission_key_fields.hpp"

namespace harness {

template <class Io, Like<LearntFrom> T>
void fields(Io& io, T& value) {
  io("document", value.document);
  io("log_error", value.log_error);
}

template <class Io, Like<ModelError> T>
void fields(Io& io, T& value) {
  io("spread_ratio", value.spread_ratio);
  io("submissions", value.submissions);
  io.optional("machines", value.machines);
  io.optional("learnt_from", value.learnt_from);
}

template <class Io, Like<ExpertForecast> T>
void fields(Io& io, T& value) {
  io("constant_from_bytes", value.constant_from_bytes);
  io("last_cache_bytes", value.last_cache_bytes);
  io("hit_ratio", value.hit_ratio);
}

template <class Io, Like<Forecast> T>
void fields(Io& io, T& value) {
  io("id", value.id);
  io.optional("version", value.version);
  shared_key_fields(io, value.key);
  io.optional("inputs_sha256", value.inputs_sha256);
  centred<Centre::point>(io, "tokens_per_s", value.tokens_per_s);
  io.optional("model_error", value.model_error);
  io.optional("experts", value.experts);
  io("made_ns", value.made_ns);
  io.optional("made_utc", value.made_utc);
}

/// What a forecast has in common with the one before it stands once.
template <class Io, Like<Submission> T>
void forecasts_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    std::vector<Forecast> forecasts = without_repeated_keys(value.forecasts);
    for (size_t i = 1; i < forecasts.size(); ++i) {
      if (value.forecasts[i].inputs_sha256 == value.forecasts[i - 1].inputs_sha256)
        forecasts[i].inputs_sha256.clear();
      if (value.forecasts[i].made_utc == value.forecasts[i - 1].made_utc) forecasts[i].made_utc.clear();
    }
    std::optional<ModelError> stated;
    for (Forecast& forecast : forecasts) {
      if (forecast.model_error == stated) forecast.model_error.reset();
      if (forecast.model_error) stated = forecast.model_error;
    }
    io.defaulted("forecasts", forecasts);
  } else {
    io.defaulted("forecasts", value.forecasts);
    repeat_selectors(value.forecasts, io.place("forecasts"));
    std::optional<ModelError> stated;
    for (Forecast& forecast : value.forecasts) {
      if (forecast.model_error) stated = forecast.model_error;
      if (forecast.id == "ecm" && available(forecast.tokens_per_s)) forecast.model_error = stated;
    }
    for (size_t i = 1; i < value.forecasts.size(); ++i) {
      Forecast& forecast = value.forecasts[i];
      if (forecast.inputs_sha256.empty()) forecast.inputs_sha256 = value.forecasts[i - 1].inputs_sha256;
      if (forecast.made_utc.empty()) forecast.made_utc = value.forecasts[i - 1].made_utc;
    }
  }
}

}  // namespace harness
