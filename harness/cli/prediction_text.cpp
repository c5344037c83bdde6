// A prediction for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/cli/forecast_table.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/interval_bars.hpp"
#include "harness/cli/paragraph.hpp"
#include "harness/cli/prediction.hpp"

namespace cli {
namespace {

using harness::Interval;
using harness::Unavailable;

/// What nobody verified is told once, at the end, however many facts rest on it.
class Footnotes {
 public:
  /// Returns a source as it is, or "unverified [2]" with the rest of it kept.
  std::string mark(const std::string& source) {
    const size_t at = source.find("unverified: ");
    if (at == std::string::npos) return source;
    const std::string why = source.substr(0, at) + source.substr(at + std::string("unverified: ").size());
    auto known = std::find(texts_.begin(), texts_.end(), why);
    if (known == texts_.end()) known = texts_.insert(texts_.end(), why);
    return fmt::format("unverified [{}]", known - texts_.begin() + 1);
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

std::string machine_text(const analysis::MachineFacts& machine) {
  const std::string name = one_line(machine.name);  // of a document: a stranger's
  return machine.origin == "catalogue"    ? name + ", from the catalogue: nobody measured it"
         : machine.origin == "topology"   ? name + ", from a recorded topology: nobody measured it"
         : machine.origin == "submission" ? name + ", from the probes of a document"
                                          : fmt::format("this machine ({}), from its probes", name);
}

std::string heading(const Terminal& terminal, const Prediction& prediction) {
  const analysis::MachineFacts& machine = prediction.machine;
  const analysis::Work& work = prediction.work;
  std::string text = paragraph(terminal, "machine", machine_text(machine));
  for (const std::string& note : machine.notes) text += paragraph(terminal, "", note);
  std::string model = fmt::format("{}: {} of weights per token", work.name, format_bytes(work.weight_bytes));
  if (work.pool_bytes > 0) model += fmt::format(", drawn from {}", format_bytes(work.pool_bytes));
  if (work.routing != "none") model += fmt::format(" ({})", work.routing);
  const std::string threads = prediction.threads == 1
                                  ? "one thread"
                                  : fmt::format("{} threads on cores of their own", prediction.threads);
  model +=
      work.knows_compute
          ? fmt::format(", mean position {:.0f}, {}", work.mean_position, threads)
          : fmt::format(", {}; without its description only bytes are counted, not multiply-adds or K and V",
                        threads);
  return text + paragraph(terminal, "model", model);
}

/// Three digits are what an interval of tens of percent leaves; a model of many gigabytes makes less than one
/// token per second.
std::string three_digits(double tokens) {
  if (!(tokens >= 100)) return fmt::format("{:.3g}", tokens);
  const double unit = std::pow(10, std::floor(std::log10(tokens)) - 2);
  return format_count(std::round(tokens / unit) * unit);
}

std::string speed_text(const Terminal& terminal, const Interval& tokens) {
  const auto one = [](double value) {
    return value < 100 ? fmt::format("{:.3g}", value) : format_count(value);
  };
  if (tokens.low == tokens.high) return one(tokens.median) + " [as given]";
  return fmt::format("{} [{}{}{}]", one(tokens.median), one(tokens.low), terminal.utf8 ? "–" : "-",
                     one(tokens.high));
}

std::string headline(const Terminal& terminal, const analysis::CoreForecast& forecast, bool alone) {
  const analysis::FactForecast* answer = analysis::find_forecast(forecast, forecast.answer);
  const std::string kind = alone ? "" : forecast.core_kind + " cores: ";
  const auto* tokens = answer == nullptr ? nullptr : std::get_if<Interval>(&answer->tokens_per_s);
  if (tokens == nullptr) return paint(terminal, Colour::bold, kind + "cannot say how fast") + "\n";
  const std::string about = fmt::format("{}about {} tok/s", kind, three_digits(tokens->median));
  const std::string within =
      fmt::format("90 % interval {} to {}", three_digits(tokens->low), three_digits(tokens->high));
  const bool fits = static_cast<int>(display_width(about) + display_width(within)) + 2 <= terminal.columns;
  return paint(terminal, Colour::bold, fmt::format("{}{}{}", about, fits ? "; " : "\n", within)) + "\n";
}

std::string kernels_text(const Terminal& terminal, const analysis::CoreFacts& core) {
  const analysis::Microarchitecture* known = analysis::find_microarchitecture(core.microarchitecture);
  std::string text = core.isa.empty() ? "not known" : core.isa;
  if (known != nullptr) text += ", on " + known->title;
  return paragraph(terminal, "kernels", text);
}

/// The forecasts that cannot say anything, by their reason.
using Reasons = std::map<std::string, std::string>;

std::string reasons_text(const Terminal& terminal, const Reasons& reasons) {
  std::string text;
  for (const auto& [why, ids] : reasons)
    text += paragraph(terminal, "cannot say", fmt::format("{}, because {}", ids, why));
  return text;
}

std::string forecasts_table(const Terminal& terminal, const analysis::CoreForecast& forecast) {
  Table table{{"forecast", "tok/s [interval]", "holds"}, {}, {0}};
  std::vector<std::optional<Interval>> intervals;
  size_t names = 0, figures = display_width(table.header[1]);
  Reasons reasons;
  std::string note;
  for (const auto& one : forecast.forecasts) {
    names = std::max(names, one.id.size());
    if (const auto* why = std::get_if<Unavailable>(&one.tokens_per_s)) {
      reasons[why->reason] += (reasons[why->reason].empty() ? "" : ", ") + one.id;
      continue;
    }
    intervals.emplace_back(std::get<Interval>(one.tokens_per_s));
    const bool naive = has_naive_interval(one.id);
    if (naive) note = paragraph(terminal, "naive", naive_interval);
    table.rows.push_back({one.id, speed_text(terminal, *intervals.back()), naive ? "naive" : "90 %"});
    figures = std::max(figures, display_width(table.rows.back()[1]));
  }
  if (table.rows.empty()) return reasons_text(terminal, reasons);
  constexpr int widest = 40;
  constexpr size_t holds = 5;  // "naive"
  const int width =
      std::min(widest, terminal.columns - static_cast<int>(names + 2 + figures + 2 + holds + 2));
  const auto bars = interval_bars(terminal, intervals, width);
  if (!bars.front().empty()) {
    table.header.emplace_back("equal steps are equal factors");
    table.left_columns.push_back(3);
    for (size_t i = 0; i < bars.size(); ++i) table.rows[i].push_back(bars[i]);
  }
  return to_text(terminal, table) + note + reasons_text(terminal, reasons);
}

std::string served_text(const analysis::CoreForecast& forecast) {
  std::vector<std::string> parts;
  for (const auto& level : forecast.served_by) {
    if (level.share >= 0.005) parts.push_back(fmt::format("{} {:.0f} %", level.level, 100 * level.share));
  }
  if (parts.empty()) return "cannot say, because no data cache is known";
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string fits_text(const analysis::CoreFacts& core, const analysis::CoreForecast& forecast) {
  std::string text;
  if (const auto* bytes = std::get_if<int64_t>(&forecast.fit_half_l3_bytes)) {
    text += fmt::format("{} by fit_half_l3", format_bytes(static_cast<double>(*bytes)));
  } else {
    text += "by fit_half_l3 cannot say: " + std::get<Unavailable>(forecast.fit_half_l3_bytes).reason;
  }
  const auto* bytes = std::get_if<int64_t>(&forecast.fit_half_life_bytes);
  if (bytes == nullptr)
    return text + "; by half-life cannot say: " + std::get<Unavailable>(forecast.fit_half_life_bytes).reason;
  const auto& kept = std::get<analysis::HalfLife>(core.half_life);
  return text + fmt::format(
                    "; {}{} by half-life: {} loses half of what is left alone in {}{:.3g} ms, a lap may take "
                    "half of that",
                    kept.at_least ? "at least " : "", format_bytes(static_cast<double>(*bytes)), kept.level,
                    kept.at_least ? "more than " : "", kept.ns / 1e6);
}

std::string constant_text(const analysis::ConstantSpeed& speed) {
  std::string text = fmt::format("full speed from {} of last-level cache on, where all experts stay; ",
                                 format_bytes(speed.from_bytes));
  if (speed.level.empty()) return text + "this core has no cache";
  text += fmt::format("this {} serves about {}: ", speed.level, format_bytes(speed.holds_bytes));
  return text + (!speed.here ? "cannot tell" : *speed.here ? "enough" : "slower here");
}

/// Where there are probes, ecm needs no prior: what keeps it from answering is what to change.
std::string narrow_text(const Prediction& prediction, const analysis::CoreForecast& forecast) {
  const std::string& origin = prediction.machine.origin;
  const analysis::Contribution& widest = forecast.why.front();
  const bool probed = origin == "here" || origin == "submission";
  if (probed && forecast.answer != "ecm" && !prediction.work.knows_compute)
    return "describe the model (tokroof models add --help): ecm needs its shape";
  if (origin == "here") {
    return forecast.answer == "ecm" ? "run " + widest.narrow
                                    : "add --probe: it takes the rates of these kernels, which ecm needs";
  }
  std::string run = widest.narrow;
  if (probed && forecast.answer != "ecm") run = fmt::format("TOKROOF_ISA={} {}", forecast.isa, run);
  std::string text = fmt::format("run {} there and give its document: --machine FILE", run);
  if (widest.fact.starts_with("read rate of "))
    text += fmt::format("; or tell it: --what-if {}=40GB/s", widest.fact.substr(widest.fact.rfind(' ') + 1));
  return text;
}

std::string why_text(const Terminal& terminal, const Prediction& prediction,
                     const analysis::CoreForecast& forecast, Footnotes& notes) {
  constexpr size_t most = 4;
  std::string text;
  for (size_t i = 0; i < std::min(most, forecast.why.size()); ++i) {
    const analysis::Contribution& part = forecast.why[i];
    text += paragraph(terminal, i == 0 ? "wide because" : "",
                      fmt::format("{:2.0f} % {} ×÷ {:.2f}, {}", 100 * part.share, part.fact, part.spread,
                                  notes.mark(part.source)));
  }
  if (forecast.why.empty()) return text;
  return text + paragraph(terminal, "to narrow it", narrow_text(prediction, forecast));
}

/// Value, spread and source of a fact; nothing for what is not known: its reason stands with the forecasts.
std::vector<std::string> fact_cells(const harness::Reading<analysis::Fact>& reading, double unit,
                                    const char* name, Footnotes& notes) {
  const auto* fact = std::get_if<analysis::Fact>(&reading);
  if (fact == nullptr) return {"not known", "", ""};
  return {fmt::format("{:.3g} {}", fact->value / unit, name), fmt::format("{:.2f}", fact->spread),
          notes.mark(fact->source)};
}

std::string facts_table(const Terminal& terminal, const analysis::CoreFacts& core, Footnotes& notes) {
  Table table{{"fact", "size", "from", "one core", "×÷", "from"}, {}, {0, 2, 5}};
  const auto add = [&](const std::string& name, const std::string& size, const std::string& from,
                       const std::vector<std::string>& cells) {
    table.rows.push_back({name, size, from, cells[0], cells[1], cells[2]});
  };
  for (const analysis::LevelFacts& level : core.levels) {
    std::string size, from;
    if (level.reported_bytes > 0) {
      size = format_bytes(static_cast<double>(level.reported_bytes));
      from = notes.mark(level.size_source);
    }
    add(level.level, size, from, fact_cells(level.read_bytes_per_s, 1e9, "GB/s", notes));
  }
  add("clock", "", "", fact_cells(core.clock_hz, 1e9, "GHz", notes));
  add("multiply-adds", "", "", fact_cells(core.macs_per_s, 1e9, "G/s", notes));
  return to_text(terminal, table);
}

std::string kind_text(const Terminal& terminal, const Prediction& prediction, size_t index,
                      Footnotes& notes) {
  const analysis::CoreFacts& core = prediction.machine.kinds[index];
  const analysis::CoreForecast& forecast = prediction.kinds[index];
  std::string text = "\n";
  text += headline(terminal, forecast, prediction.kinds.size() == 1) + forecasts_table(terminal, forecast);
  if (forecast.flushed) {
    if (const auto* tokens = std::get_if<Interval>(&forecast.flushed->tokens_per_s))
      text += paragraph(terminal, "flushed",
                        speed_text(terminal, *tokens) + " by ecm when every token starts with empty caches");
  }
  text += kernels_text(terminal, core);
  text += paragraph(terminal, "served by", served_text(forecast));
  if (const auto* limit = std::get_if<std::string>(&forecast.limit))
    text += paragraph(terminal, "limited by", *limit);
  text += paragraph(terminal, "would fit", fits_text(core, forecast));
  if (forecast.constant_speed)
    text += paragraph(terminal, "experts", constant_text(*forecast.constant_speed));
  text += why_text(terminal, prediction, forecast, notes) + "\n";
  return text + facts_table(terminal, core, notes);
}

/// The footnotes, then where the documents that facts and footnotes name can be read.
std::string sources_text(const Terminal& terminal, const Footnotes& notes, const std::string& facts) {
  std::string text, named = facts;
  for (size_t i = 0; i < notes.texts().size(); ++i) {
    named += " " + notes.texts()[i];
    text += paragraph(terminal, i == 0 ? "unverified" : "", fmt::format("[{}] {}", i + 1, notes.texts()[i]));
  }
  bool first = true;
  for (const std::string& key : analysis::references_in(named)) {
    const analysis::Reference& reference = analysis::references().at(key);
    text +=
        paragraph(terminal, first ? "sources" : "",
                  fmt::format("{}: {}", key, reference.where.empty() ? reference.title : reference.where));
    first = false;
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string prediction_text(const Terminal& terminal, const Prediction& prediction) {
  Footnotes notes;
  std::string kinds;
  for (size_t i = 0; i < prediction.kinds.size(); ++i) kinds += kind_text(terminal, prediction, i, notes);
  std::string text = heading(terminal, prediction) + kinds + sources_text(terminal, notes, kinds);
  if (!terminal.utf8) {
    for (size_t at = text.find("×÷"); at != std::string::npos; at = text.find("×÷"))
      text.replace(at, std::string("×÷").size(), "x/");
  }
  return text;
}

}  // namespace cli
