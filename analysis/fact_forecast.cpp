#include "analysis/fact_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace analysis {

using harness::Interval;
using harness::Reading;
using harness::Unavailable;

namespace {

// Changes whenever the same facts would give another figure.
constexpr const char* version = "2";

Reading<Interval> roof(const Reading<Fact>& rate, const Work& work) {
  if (const auto* why = std::get_if<Unavailable>(&rate)) return *why;
  const Fact& fact = std::get<Fact>(rate);
  const double tokens = fact.value / work.weight_bytes;
  return Interval{tokens, tokens / fact.spread, tokens * fact.spread};
}

Reading<Interval> cache_roof(const CoreFacts& core, const Work& work) {
  int64_t largest = 0;
  for (const LevelFacts& level : core.levels) {
    if (!is_cache(level)) continue;
    if (static_cast<double>(level.reported_bytes) >= work.resident_bytes())
      return roof(level.read_bytes_per_s, work);
    largest = std::max(largest, level.reported_bytes);
  }
  if (largest == 0) return Unavailable{"no data cache is known"};
  return Unavailable{fmt::format("no cache holds {:.0f} bytes of weights; the largest has {}",
                                 work.resident_bytes(), largest)};
}

Reading<Interval> prior(const CoreFacts& core, const Work& work, const std::string& missing) {
  if (!missing.empty()) return Unavailable{missing};
  const double tokens = 1 / token_seconds(core, work, shares_of(core, work));
  const double width = std::exp(std::sqrt(sum_of_shares(squares_of(core, work))));
  return Interval{tokens, tokens / width, tokens * width};
}

Reading<int64_t> half_l3(const CoreFacts& core) {
  for (const LevelFacts& level : core.levels) {
    if (level.level == "l3" && level.reported_bytes > 0) return level.reported_bytes / 2;
  }
  return Unavailable{"this core has no L3"};
}

std::string limit_of(const std::vector<Term>& terms) {
  double sum = 0;
  for (const Term& term : terms) sum += term.seconds;
  const Term& longest = terms.front();
  const bool reads = longest.name.starts_with("weights from ");
  const std::string what =
      reads ? "the bandwidth of " + longest.name.substr(std::string("weights from ").size())
      : longest.name == "multiply-adds" ? "compute: multiply-adds per cycle"
                                        : longest.name;
  return fmt::format("{} ({:.0f} % of what a token costs)", what, 100 * longest.seconds / sum);
}

const LevelFacts* last_cache(const CoreFacts& core) {
  const LevelFacts* last = nullptr;
  for (const LevelFacts& level : core.levels) {
    if (is_cache(level) && level.usable_bytes) last = &level;
  }
  return last;
}

std::optional<ConstantSpeed> constant_speed(const CoreFacts& core, const Work& work) {
  if (work.pool_bytes <= 0) return std::nullopt;
  ConstantSpeed speed{work.dense_bytes + work.pool_bytes + work.kv_bytes, "", 0, false};
  const LevelFacts* last = last_cache(core);
  if (last == nullptr) return speed;
  const Fact& usable = *last->usable_bytes;
  speed.level = last->level;
  speed.holds_bytes = usable.value;
  if (usable.value / usable.spread >= speed.from_bytes) {
    speed.here = true;
  } else if (usable.value * usable.spread >= speed.from_bytes) {
    speed.here = std::nullopt;
  }
  return speed;
}

}  // namespace

CoreForecast forecast_core(const CoreFacts& core, const Work& work) {
  CoreForecast forecast;
  forecast.core_kind = core.core_kind;
  forecast.isa = core.isa;
  forecast.answer = "catalogue_prior";
  const std::vector<LevelShare> shares = shares_of(core, work);
  const std::string missing = missing_fact(core, work, shares);
  forecast.forecasts = {{"dram_roof", version, roof(core.levels.back().read_bytes_per_s, work)},
                        {"cache_roof", version, cache_roof(core, work)},
                        {"catalogue_prior", version, prior(core, work, missing)}};
  if (core.levels.size() > 1) forecast.served_by = shares;
  forecast.limit = Unavailable{missing};
  if (missing.empty()) {
    forecast.terms = terms_of(core, work, shares);
    forecast.limit = limit_of(forecast.terms);
    forecast.why = as_shares(squares_of(core, work));
  }
  forecast.constant_speed = constant_speed(core, work);
  forecast.fit_half_l3_bytes = half_l3(core);
  set_half_life_fit(forecast, core, work);
  return forecast;
}

const FactForecast* find_forecast(const CoreForecast& forecast, const std::string& id) {
  for (const FactForecast& one : forecast.forecasts) {
    if (one.id == id) return &one;
  }
  return nullptr;
}

void set_half_life_fit(CoreForecast& forecast, const CoreFacts& core, const Work& work) {
  if (const auto* why = std::get_if<Unavailable>(&core.half_life)) {
    forecast.fit_half_life_bytes = *why;
    return;
  }
  const FactForecast* answer = find_forecast(forecast, forecast.answer);
  const Interval* tokens = answer == nullptr ? nullptr : std::get_if<Interval>(&answer->tokens_per_s);
  const LevelFacts* last = last_cache(core);
  if (tokens == nullptr || last == nullptr) {
    forecast.fit_half_life_bytes = Unavailable{"how fast weights pass is not known"};
    return;
  }
  const double passing_bytes_per_s = work.weight_bytes * tokens->median;
  const double lap_bytes = std::get<HalfLife>(core.half_life).ns / 2e9 * passing_bytes_per_s;
  forecast.fit_half_life_bytes = std::llround(std::min(lap_bytes, last->usable_bytes->value));
}

}  // namespace analysis
