// The keys of a submission; with submission_machine_fields.hpp and submission_launch_fields.hpp the only
// place that spells them. Each key stands once: `fields` serves writing and reading.
#include <array>
#include <ctime>

#include "harness/canonical_json.hpp"
#include "harness/submission.hpp"
#include "harness/submission_launch_fields.hpp"
#include "harness/submission_machine_fields.hpp"
#include "harness/submission_partial_fields.hpp"

namespace harness {

inline constexpr const char* submission_schema = "tokroof/submission/1";

template <class Io, Like<Interval> T>
void fields(Io& io, T& value) {
  io("median", value.median);
  io("low", value.low);
  io("high", value.high);
}

/// An interval whose middle has another name: an estimate of a size, the point of a forecast.
enum class Centre { estimate, point };
template <Centre centre>
struct Centred {
  Interval interval;
};
template <class Io, Centre centre>
void centred_fields(Io& io, Like<Interval> auto& value) {
  io(centre == Centre::estimate ? "estimate" : "point", value.median);
  io("low", value.low);
  io("high", value.high);
}
template <class Io, Like<Centred<Centre::estimate>> T>
void fields(Io& io, T& value) {
  centred_fields<Io, Centre::estimate>(io, value.interval);
}
template <class Io, Like<Centred<Centre::point>> T>
void fields(Io& io, T& value) {
  centred_fields<Io, Centre::point>(io, value.interval);
}
template <Centre centre, class Io, Like<Reading<Interval>> T>
void centred(Io& io, const char* key, T& reading) {
  if constexpr (Io::writing) {
    if (const auto* interval = std::get_if<Interval>(&reading)) {
      io(key, Centred<centre>{*interval});
    } else {
      io(key, std::get<Unavailable>(reading));
    }
  } else {
    Reading<Centred<centre>> read;
    io(key, read);
    if (available(read)) {
      reading = std::get<Centred<centre>>(read).interval;
    } else {
      reading = std::get<Unavailable>(read);
    }
  }
}

/// A decode key is no object of its own: its selectors stand beside the figures that they select.
template <class Io, Like<DecodeKey> T>
void fields(Io& io, T& value) {
  io("model", value.model);
  io("mode", value.mode);
  io("placement", value.placement);
  io("isa", value.isa);
  io("arithmetic", value.arithmetic);
  io("weights", value.weights);
  io("routing", value.routing);
  io("threads", value.threads);
  io("page_bytes", value.page_bytes);
  io("core_kind", value.core_kind);
  io("position_first", value.position_first);
  io("position_last", value.position_last);
}

/// The same where they say again which decode is meant: what has its usual value is left out.
template <class Io, Like<DecodeKey> T>
void short_fields(Io& io, T& value) {
  io("model", value.model);
  io("mode", value.mode);
  io.unless("placement", value.placement, "none");
  io("isa", value.isa);
  io.unless("arithmetic", value.arithmetic, "int8");
  io.unless("weights", value.weights, "synthetic");
  io.unless("routing", value.routing, "none");
  io.unless("threads", value.threads, 1);
  io("page_bytes", value.page_bytes);
  io.unless("core_kind", value.core_kind, "uniform");
  io("position_first", value.position_first);
  io("position_last", value.position_last);
}

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
  fields(io, value.key);
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
  short_fields(io, value.key);
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
  short_fields(io, value.key);
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

/// A key that is left out, its model empty, is that of the member before.
template <class Io, Like<DecodeKey> T>
void shared_key_fields(Io& io, T& value) {
  bool own = !value.model.empty();
  if constexpr (!Io::writing) own = io.has("model");
  if (own) short_fields(io, value);
}

/// Returns the list with the keys left out that are those of the member before.
template <class Keyed>
std::vector<Keyed> without_repeated_keys(std::vector<Keyed> list) {
  for (size_t i = list.size(); i-- > 1;) {
    if (list[i].key == list[i - 1].key) list[i].key = {};
  }
  return list;
}
template <class Keyed>
void repeat_keys(std::vector<Keyed>& list, const std::string& place) {
  if (!list.empty() && list.front().key.model.empty())
    JsonReader::refuse(place + "/0/model", "the model of the first");
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i].key.model.empty()) list[i].key = list[i - 1].key;
  }
}

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
  io("version", value.version);
  shared_key_fields(io, value.key);
  io.optional("inputs_sha256", value.inputs_sha256);
  centred<Centre::point>(io, "tokens_per_s", value.tokens_per_s);
  io.optional("model_error", value.model_error);
  io.optional("experts", value.experts);
  io("made_ns", value.made_ns);
  io.optional("made_utc", value.made_utc);
}

template <class Io, Like<ForecastError> T>
void fields(Io& io, T& value) {
  io("id", value.id);
  io("version", value.version);
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
    repeat_keys(value.forecast_errors, io.place("forecast_errors"));
  }
  io("flags", value.flags);
}

template <class Io, Like<Verdict> T>
void fields(Io& io, T& value) {
  io("claim", value.claim);
  io("seal", value.seal);
  io("verdict", value.verdict);
}

template <class Io, Like<ClaimReference> T>
void fields(Io& io, T& value) {
  io("id", value.id);
  io("seal", value.seal);
  io("sealed_utc", value.sealed_utc);
}

template <class Io, Like<Failure> T>
void fields(Io& io, T& value) {
  io("claimed", value.claimed);
  io("source", value.source);
  io("observed", value.observed);
  io("stage", value.stage);
  io("exit_code", value.exit_code);
  io("log_excerpt", value.log_excerpt);
  io("doctor", value.doctor);
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
    repeat_keys(value.forecasts, io.place("forecasts"));
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

template <class Io, Like<Submission> T>
void fields(Io& io, T& value) {
  std::string schema = submission_schema;
  io("schema", schema);
  io("kind", value.kind);
  io("created_utc", value.created_utc);
  io("nonce", value.nonce);
  io("protocol", value.protocol);
  io.optional("claim", value.claim);
  io("suite", value.suite);
  io("machine", value.machine);
  io("conditions", value.conditions);
  io.defaulted("plans", value.plans);
  io.defaulted("launches", value.launches);
  io.optional("interruptions", value.interruptions);
  io.defaulted("derived", value.derived);
  forecasts_field(io, value);
  io.defaulted("verdicts", value.verdicts);
  io.optional("failure", value.failure);
  if constexpr (!Io::writing) name_models(value);
}

namespace {

template <class T>
std::string write(const T& value) {
  JsonWriter io;
  fields(io, value);
  return canonical_text(io.take());
}

template <class T>
T read(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error(ExitCode::invalid_input, "the text is not JSON");
  const JsonReader io(json, "");
  T value;
  fields(io, value);
  return value;
}

}  // namespace

std::string to_canonical_json(const Submission& submission) {
  return write(submission);
}
std::string partial_to_json(const PartialRun& partial) {
  return write(partial);
}
PartialRun partial_from_json(const std::string& text) {
  return read<PartialRun>(text);
}
Submission submission_from_json(const std::string& text) {
  return read<Submission>(text);
}
std::string launch_to_json(const Launch& launch) {
  return write(launch);
}
Launch launch_from_json(const std::string& text) {
  return read<Launch>(text);
}
std::string plan_to_json(const Plan& plan) {
  return write(plan);
}
Plan plan_from_json(const std::string& text) {
  return read<Plan>(text);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 24> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace harness
