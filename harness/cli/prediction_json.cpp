// A prediction for programs. docs/forecasts.md, "The answer", lists the members.
#include <nlohmann/json.hpp>

#include "harness/cli/prediction.hpp"

namespace cli {
namespace {

using harness::Interval;
using harness::Unavailable;
using json = nlohmann::ordered_json;

json unavailable_json(const Unavailable& why) {
  return {{"unavailable", why.reason}};
}

json forecast_json(const analysis::FactForecast& forecast) {
  json made = {{"id", forecast.id}, {"version", forecast.version}};
  const auto* tokens = std::get_if<Interval>(&forecast.tokens_per_s);
  made["tokens_per_s"] = tokens == nullptr
                             ? unavailable_json(std::get<Unavailable>(forecast.tokens_per_s))
                             : json{{"point", tokens->median}, {"low", tokens->low}, {"high", tokens->high}};
  return made;
}

json bytes_json(const harness::Reading<int64_t>& bytes) {
  if (const auto* why = std::get_if<Unavailable>(&bytes)) return unavailable_json(*why);
  return std::get<int64_t>(bytes);
}

json fact_json(const harness::Reading<analysis::Fact>& reading) {
  if (const auto* why = std::get_if<Unavailable>(&reading)) return unavailable_json(*why);
  const auto& fact = std::get<analysis::Fact>(reading);
  return {
      {"value", fact.value}, {"spread", fact.spread}, {"verified", fact.verified}, {"source", fact.source}};
}

json levels_json(const analysis::CoreFacts& core) {
  json levels = json::array();
  for (const analysis::LevelFacts& level : core.levels) {
    json made = {{"level", level.level}};
    if (level.reported_bytes > 0) {
      made["reported_bytes"] = level.reported_bytes;
      made["size_source"] = level.size_source;
    }
    if (level.usable_bytes) made["usable_bytes"] = fact_json(*level.usable_bytes);
    made["read_bytes_per_s"] = fact_json(level.read_bytes_per_s);
    levels.push_back(made);
  }
  return levels;
}

json core_json(const analysis::CoreFacts& core) {
  return {{"clock_hz", fact_json(core.clock_hz)},
          {"macs_per_s", fact_json(core.macs_per_s)},
          {"attention_macs_per_s", fact_json(core.attention_macs_per_s)},
          {"values_per_s", fact_json(core.values_per_s)},
          {"formula", fact_json(core.formula)}};
}

json constant_speed_json(const analysis::ConstantSpeed& speed) {
  json made = {{"from_bytes", speed.from_bytes}, {"level", speed.level}, {"holds_bytes", speed.holds_bytes}};
  made["here"] = speed.here ? json(*speed.here) : json(nullptr);
  return made;
}

/// The documents that the facts of a machine were read in.
json sources_json(const std::vector<analysis::CoreFacts>& kinds) {
  std::string facts;
  for (const auto& core : kinds) facts += levels_json(core).dump() + core_json(core).dump();
  json sources = json::object();
  for (const std::string& key : analysis::references_in(facts)) {
    const analysis::Reference& reference = analysis::references().at(key);
    sources[key] = {{"title", reference.title}, {"where", reference.where}};
  }
  return sources;
}

json kind_json(const analysis::CoreFacts& core, const analysis::CoreForecast& forecast) {
  json made = {{"core_kind", forecast.core_kind},
               {"microarchitecture", core.microarchitecture},
               {"isa", forecast.isa}};
  made["levels"] = levels_json(core);
  made["core"] = core_json(core);
  made["forecasts"] = json::array();
  for (const auto& one : forecast.forecasts) made["forecasts"].push_back(forecast_json(one));
  made["answer"] = forecast.answer;
  if (forecast.flushed) made["flushed"] = forecast_json(*forecast.flushed);
  made["served_by"] = json::object();
  for (const auto& level : forecast.served_by) made["served_by"][level.level] = level.share;
  const auto* limit = std::get_if<std::string>(&forecast.limit);
  made["limit"] = limit == nullptr ? unavailable_json(std::get<Unavailable>(forecast.limit)) : json(*limit);
  made["terms_s"] = json::object();
  for (const auto& term : forecast.terms) made["terms_s"][term.name] = term.seconds;
  made["fits"] = {{"half_l3_bytes", bytes_json(forecast.fit_half_l3_bytes)},
                  {"half_life_bytes", bytes_json(forecast.fit_half_life_bytes)}};
  if (const auto* kept = std::get_if<analysis::HalfLife>(&core.half_life))
    made["half_life"] = {{"level", kept->level}, {"ns", kept->ns}, {"at_least", kept->at_least}};
  if (forecast.constant_speed) made["constant_speed"] = constant_speed_json(*forecast.constant_speed);
  made["why_that_wide"] = json::array();
  for (const auto& part : forecast.why) {
    made["why_that_wide"].push_back({{"fact", part.fact},
                                     {"share", part.share},
                                     {"spread", part.spread},
                                     {"verified", part.verified},
                                     {"source", part.source},
                                     {"narrow", part.narrow}});
  }
  return made;
}

}  // namespace

json prediction_json(const Prediction& prediction) {
  json made;
  made["machine"] = {{"name", prediction.machine.name},
                     {"origin", prediction.machine.origin},
                     {"notes", prediction.machine.notes}};
  const analysis::Work& work = prediction.work;
  made["model"] = {{"name", work.name},
                   {"weight_bytes_per_token", work.weight_bytes},
                   {"pool_bytes", work.pool_bytes},
                   {"routing", work.routing},
                   {"mean_position", work.mean_position},
                   {"compute_counted", work.knows_compute}};
  made["threads"] = prediction.threads;
  made["kinds"] = json::array();
  for (size_t i = 0; i < prediction.kinds.size(); ++i)
    made["kinds"].push_back(kind_json(prediction.machine.kinds[i], prediction.kinds[i]));
  made["sources"] = sources_json(prediction.machine.kinds);
  return made;
}

}  // namespace cli
