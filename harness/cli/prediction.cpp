#include "harness/cli/prediction.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/result_table.hpp"

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

json levels_json(const analysis::CoreFacts& core) {
  json levels = json::array();
  for (const analysis::LevelFacts& level : core.levels) {
    json made = {{"level", level.level}};
    if (level.reported_bytes > 0) made["reported_bytes"] = level.reported_bytes;
    if (const auto* rate = std::get_if<analysis::Fact>(&level.read_bytes_per_s)) {
      made["read_bytes_per_s"] = {{"value", rate->value},
                                  {"spread", rate->spread},
                                  {"verified", rate->verified},
                                  {"source", rate->source}};
    } else {
      made["read_bytes_per_s"] = unavailable_json(std::get<Unavailable>(level.read_bytes_per_s));
    }
    levels.push_back(made);
  }
  return levels;
}

json kind_json(const analysis::CoreFacts& core, const analysis::CoreForecast& forecast) {
  json made = {{"core_kind", forecast.core_kind},
               {"microarchitecture", core.microarchitecture},
               {"isa", forecast.isa}};
  made["levels"] = levels_json(core);
  made["forecasts"] = json::array();
  for (const auto& one : forecast.forecasts) made["forecasts"].push_back(forecast_json(one));
  made["served_by"] = json::object();
  for (const auto& level : forecast.served_by) made["served_by"][level.level] = level.share;
  const auto* limit = std::get_if<std::string>(&forecast.limit);
  made["limit"] = limit == nullptr ? unavailable_json(std::get<Unavailable>(forecast.limit)) : json(*limit);
  made["terms_s"] = json::object();
  for (const auto& term : forecast.terms) made["terms_s"][term.name] = term.seconds;
  made["fits"] = {{"half_l3_bytes", bytes_json(forecast.fit_half_l3_bytes)},
                  {"half_life_bytes", bytes_json(forecast.fit_half_life_bytes)}};
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

std::string heading(const Prediction& prediction) {
  const analysis::MachineFacts& machine = prediction.machine;
  const analysis::Work& work = prediction.work;
  const std::string from = machine.origin == "catalogue"  ? "from the catalogue: nobody measured it"
                           : machine.origin == "topology" ? "from a recorded topology: nobody measured it"
                                                          : "from the probes of a document";
  std::string text = fmt::format("{}, {}\n", machine.name, from);
  for (const std::string& note : machine.notes) text += "  " + note + "\n";
  text += fmt::format("{}: {} of weights per token", work.name, format_bytes(work.weight_bytes));
  if (work.pool_bytes > 0) text += fmt::format(", drawn from {}", format_bytes(work.pool_bytes));
  text +=
      work.knows_compute
          ? fmt::format(", mean position {:.0f}, one thread\n", work.mean_position)
          : ", one thread; without its description only bytes are counted, not multiply-adds or K and V\n";
  return text;
}

std::string forecasts_table(const Terminal& terminal, const analysis::CoreForecast& forecast) {
  Table table{{"forecast", "tok/s [90 %]", ""}, {}, {0, 2}};
  for (const auto& one : forecast.forecasts) {
    const auto* tokens = std::get_if<Interval>(&one.tokens_per_s);
    table.rows.push_back(
        {one.id, tokens == nullptr ? "cannot say" : format_interval(terminal, *tokens),
         tokens == nullptr ? "because " + std::get<Unavailable>(one.tokens_per_s).reason : ""});
  }
  return to_text(terminal, table);
}

std::string served_text(const analysis::CoreForecast& forecast) {
  std::vector<std::string> parts;
  for (const auto& level : forecast.served_by) {
    if (level.share >= 0.005) parts.push_back(fmt::format("{} {:.0f} %", level.level, 100 * level.share));
  }
  if (parts.empty()) return "served by    cannot say, because no data cache is known\n";
  return fmt::format("served by    {}\n", fmt::join(parts, ", "));
}

std::string fits_text(const analysis::CoreForecast& forecast) {
  std::string text = "would fit    ";
  if (const auto* bytes = std::get_if<int64_t>(&forecast.fit_half_l3_bytes)) {
    text += fmt::format("{} of weights by fit_half_l3", format_bytes(static_cast<double>(*bytes)));
  } else {
    text += "cannot say by fit_half_l3, because " + std::get<Unavailable>(forecast.fit_half_l3_bytes).reason;
  }
  if (const auto* bytes = std::get_if<int64_t>(&forecast.fit_half_life_bytes)) {
    text += fmt::format("; {} by its half-life\n", format_bytes(static_cast<double>(*bytes)));
  } else {
    text += "; by half-life not: " + std::get<Unavailable>(forecast.fit_half_life_bytes).reason + "\n";
  }
  return text;
}

std::string why_text(const analysis::CoreForecast& forecast) {
  constexpr size_t most = 4;
  std::string text;
  for (size_t i = 0; i < std::min(most, forecast.why.size()); ++i) {
    const analysis::Contribution& part = forecast.why[i];
    text += fmt::format("{} {:3.0f} %  {} (×÷ {:.2f}; {})\n", i == 0 ? "wide because" : "            ",
                        100 * part.share, part.fact, part.spread, part.source);
  }
  if (!forecast.why.empty()) text += "to narrow it " + forecast.why.front().narrow + "\n";
  return text;
}

std::string kind_text(const Terminal& terminal, const analysis::CoreForecast& forecast, bool alone) {
  std::string text = "\n";
  if (!alone) text += fmt::format("core kind {}\n", forecast.core_kind);
  if (!forecast.isa.empty()) text += fmt::format("kernels {}\n", forecast.isa);
  text += forecasts_table(terminal, forecast) + served_text(forecast);
  if (const auto* limit = std::get_if<std::string>(&forecast.limit)) text += "limited by   " + *limit + "\n";
  return text + fits_text(forecast) + why_text(forecast);
}

}  // namespace

Prediction predict_from(analysis::MachineFacts machine, analysis::Work work) {
  Prediction prediction{std::move(machine), std::move(work), {}};
  for (const analysis::CoreFacts& core : prediction.machine.kinds)
    prediction.kinds.push_back(analysis::forecast_core(core, prediction.work));
  return prediction;
}

bool says_something(const Prediction& prediction) {
  for (const auto& kind : prediction.kinds) {
    for (const auto& forecast : kind.forecasts) {
      if (harness::available(forecast.tokens_per_s)) return true;
    }
  }
  return false;
}

json prediction_json(const Prediction& prediction) {
  json made;
  made["machine"] = {{"name", prediction.machine.name},
                     {"origin", prediction.machine.origin},
                     {"notes", prediction.machine.notes}};
  const analysis::Work& work = prediction.work;
  made["model"] = {{"name", work.name},
                   {"weight_bytes_per_token", work.weight_bytes},
                   {"pool_bytes", work.pool_bytes},
                   {"mean_position", work.mean_position},
                   {"compute_counted", work.knows_compute}};
  made["threads"] = 1;
  made["kinds"] = json::array();
  for (size_t i = 0; i < prediction.kinds.size(); ++i)
    made["kinds"].push_back(kind_json(prediction.machine.kinds[i], prediction.kinds[i]));
  return made;
}

std::string prediction_text(const Terminal& terminal, const Prediction& prediction) {
  std::string text = heading(prediction);
  for (const auto& kind : prediction.kinds) text += kind_text(terminal, kind, prediction.kinds.size() == 1);
  if (!terminal.utf8) {
    for (size_t at = text.find("×÷"); at != std::string::npos; at = text.find("×÷"))
      text.replace(at, std::string("×÷").size(), "x/");
  }
  return text;
}

}  // namespace cli
