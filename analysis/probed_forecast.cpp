#include "analysis/probed_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/ecm.hpp"
#include "analysis/forecast.hpp"
#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Interval;

namespace {

harness::DecodeKey key_of(const harness::Submission& probed, const Work& work, const models::Shape& shape,
                          const char* mode, int threads) {
  harness::DecodeKey key;
  key.model = shape.name;
  key.mode = mode;
  key.threads = threads;
  key.isa = probed.suite.isa;
  key.routing = work.routing;
  key.core_kind = measured_core_kind(probed.machine);
  key.position_first = shape.default_position_first;
  key.position_last = shape.default_position_last;
  return key;
}

/// In place of those of the same name; the others before the last.
void put(CoreForecast& forecast, const harness::Forecast& made) {
  const FactForecast answer{made.id, made.version, made.tokens_per_s};
  auto& all = forecast.forecasts;
  const auto same = std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.id == made.id; });
  if (same != all.end()) {
    *same = answer;
  } else {
    all.insert(all.end() - 1, answer);
  }
}

double seconds_of(const EcmForecast& ecm, const std::string& part) {
  for (const auto& known : ecm.parts) {
    if (known.name == part) return known.seconds;
  }
  return 0;
}

std::vector<LevelShare> served_by(const EcmForecast& ecm, const Work& work) {
  const double dense = work.weight_bytes > 0 ? work.dense_bytes / work.weight_bytes : 1;
  const auto both = [&](double LevelShares::*level) {
    return dense * (ecm.dense.*level) + (1 - dense) * (ecm.experts.*level);
  };
  return {{"l2", both(&LevelShares::l2)}, {"l3", both(&LevelShares::l3)}, {"dram", both(&LevelShares::dram)}};
}

std::vector<Term> terms_of(const EcmForecast& ecm) {
  std::vector<Term> terms;
  for (const auto& part : ecm.parts) {
    const std::string name = part.name == "attention" ? "attention over K and V"
                             : part.name == "vectors" ? "norms and activations"
                             : part.name == "jumps"   ? "jumps between experts"
                                                      : part.name;
    terms.push_back({name, part.seconds});
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.seconds > b.seconds; });
  return terms;
}

/// How long each level takes to hand over its share of the weights at its read roof: the level that takes
/// longest, and all of them together.
struct PlainRead {
  std::string slowest;
  double seconds = 0;
};

PlainRead reading_alone(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares) {
  PlainRead reading;
  double longest = 0;
  for (const LevelShare& share : shares) {
    for (const LevelFacts& level : core.levels) {
      const auto* rate = std::get_if<Fact>(&level.read_bytes_per_s);
      if (level.level != share.level || rate == nullptr) continue;
      const double seconds = share.share * work.weight_bytes / rate->value;
      reading.seconds += seconds;
      if (seconds < longest) continue;
      longest = seconds;
      reading.slowest = level.level;
    }
  }
  return reading;
}

std::string limit_of(const EcmForecast& ecm, const CoreForecast& forecast, const CoreFacts& core,
                     const Work& work) {
  // A kernel that takes less than 1/0.6 of what a plain read takes is held by what hands it the bytes.
  constexpr double mostly = 0.6;
  const double weights = seconds_of(ecm, "weights") + seconds_of(ecm, "experts");
  const Term& longest = forecast.terms.front();
  if (longest.name != "weights" && longest.name != "experts" && longest.seconds > weights)
    return fmt::format("{} ({:.0f} % of a token's time)", longest.name, 100 * longest.seconds / ecm.seconds);
  const PlainRead reading = reading_alone(core, work, forecast.served_by);
  const double part = std::min(1.0, reading.seconds / weights);
  return fmt::format(
      "{} (weights take {:.0f} % of a token's time; reading them alone would take {:.0f} % of that)",
      part >= mostly ? "the bandwidth of " + reading.slowest : "compute: how fast kernels multiply",
      100 * weights / ecm.seconds, 100 * part);
}

std::vector<Contribution> why_of(const EcmForecast& ecm, const harness::ModelError& error) {
  const bool learnt = error.submissions > 0;
  const double model = std::log(error.spread_ratio);
  return as_shares({{"ecm's own error", model * model, error.spread_ratio, learnt,
                     learnt ? fmt::format("learnt from {} stored runs of {}", error.submissions,
                                          error.machines == "this" ? "this machine" : "other machines")
                            : "unverified: a prior, no stored run has taught it yet",
                     "tokroof run"},
                    {"scatter of the probes", ecm.log_width * ecm.log_width, std::exp(ecm.log_width), true,
                     "measured: kernel_rates", "tokroof probe, while nothing else runs"}});
}

ConstantSpeed constant_speed(const EcmForecast& ecm, const CoreForecast& forecast) {
  constexpr double edge = 1.1;  // a cache's edge is a ramp
  ConstantSpeed speed{ecm.constant_from_bytes, "", ecm.last_cache_bytes, std::nullopt};
  if (forecast.constant_speed) speed.level = forecast.constant_speed->level;
  if (speed.holds_bytes > speed.from_bytes * edge) speed.here = true;
  if (speed.holds_bytes * edge < speed.from_bytes) speed.here = false;
  return speed;
}

}  // namespace

void use_probes(CoreForecast& forecast, const CoreFacts& core, const Work& work,
                const harness::Submission& probed, const models::Shape& shape,
                const harness::ModelError& error, int threads) {
  const harness::DecodeKey key = key_of(probed, work, shape, "warm", threads);
  const auto made = make_forecasts(probed, shape, key, error);
  for (const harness::Forecast& one : made) put(forecast, one);
  const auto kernels = ecm_forecast(probed, shape, key);
  const auto* ecm = std::get_if<EcmForecast>(&kernels);
  if (ecm == nullptr || !available(made.back().tokens_per_s)) return;
  forecast.answer = "ecm";
  std::stable_partition(forecast.forecasts.begin(), forecast.forecasts.end(),
                        [](const FactForecast& one) { return one.id != "ecm"; });
  const auto flushed =
      make_forecasts(probed, shape, key_of(probed, work, shape, "evict_flush", threads), error).back();
  forecast.flushed = FactForecast{flushed.id, flushed.version, flushed.tokens_per_s};
  forecast.served_by = served_by(*ecm, work);
  forecast.terms = terms_of(*ecm);
  forecast.limit = limit_of(*ecm, forecast, core, work);
  forecast.why = why_of(*ecm, error);
  if (ecm->constant_from_bytes > 0) forecast.constant_speed = constant_speed(*ecm, forecast);
  set_half_life_fit(forecast, core, work);
}

}  // namespace analysis
