#include "harness/cli/score_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "harness/cli/foreign_text.hpp"
#include "harness/cli/markdown_table.hpp"

namespace cli {
namespace {

using analysis::By;
using analysis::Score;
using json = nlohmann::ordered_json;

std::string factor(double log) {
  return fmt::format("{:.2f}", std::exp(log));
}

/// n, off, bias, inside, width.
std::vector<std::string> cells_of(const Score* score) {
  if (score == nullptr) return {"0", "-", "-", "-", "-"};
  return {std::to_string(score->figures), factor(score->log_error), factor(score->log_bias),
          fmt::format("{:.0f} %", 100 * score->coverage.median),
          score->width_ratio > 0 ? fmt::format("{:.2f}", score->width_ratio) : "-"};
}

auto identity(const Score& score) {
  return std::tie(score.machine_key, score.model, score.mode, score.id, score.version);
}

const Score* find_same(const std::vector<Score>& scores, const Score& wanted) {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const Score& score) { return identity(score) == identity(wanted); });
  return found == scores.end() ? nullptr : &*found;
}

/// What a group is, besides its forecast: "" for all figures.
std::string group_name(const Score& score) {
  std::string name = score.machine_key.substr(0, 8);
  for (const std::string& part : {score.model, score.mode}) {
    if (part.empty()) continue;
    name += (name.empty() ? "" : " ") + part;
  }
  return markdown_safe(name);
}

std::string forecast_name(const Score& score) {
  return markdown_safe(score.id + " " + score.version);
}

std::string table_of(const Terminal& terminal, const std::string& heading, const ScorePair& pair,
                     Markup markup) {
  Table table{{"forecast", "n", "off", "bias", "inside", "width", "all: n", "off", "bias", "inside", "width"},
              {},
              {0}};
  std::string group;
  for (const Score& score : pair.all) {
    if (group_name(score) != group) {
      group = group_name(score);
      table.rows.push_back({markup == Markup::markdown ? "**" + group + "**" : group});
      table.rows.back().resize(table.header.size());
    }
    std::vector<std::string> row{forecast_name(score)};
    for (const Score* one : {find_same(pair.counted, score), &score}) {
      for (std::string& cell : cells_of(one)) row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  const std::string title = markup == Markup::markdown ? "### " + heading + "\n\n" : heading + "\n";
  return "\n" + title + (markup == Markup::markdown ? to_markdown(table) : to_text(terminal, table));
}

/// How far each forecast was off at worst, over the runs that count and over all.
std::string worst_text(const ScorePair& overall, Markup markup) {
  std::string text = "\n";
  for (const Score& all : overall.all) {
    const Score* counted = find_same(overall.counted, all);
    const auto of = [](const Score& score) {
      return fmt::format("{} ({})", factor(score.worst_log_error), markdown_safe(score.worst_decode));
    };
    const char* item = markup == Markup::markdown ? "- " : "";
    if (counted != nullptr)
      text += fmt::format("{}{} at worst: off by {}\n", item, forecast_name(all), of(*counted));
    text += fmt::format("{}{} at worst of all runs: off by {}\n", item, forecast_name(all), of(all));
  }
  return text;
}

/// One line per forecast and group that a naive one has beaten.
std::string beaten_lines(const std::vector<Score>& scores) {
  std::string text;
  for (const Score& score : scores) {
    for (const auto& against : score.against_naive) {
      if (!against.beaten()) continue;
      const std::string group = group_name(score);
      text += fmt::format("{}{} has been beaten by {}: off by {} where that was off by {}, {} decode{}\n",
                          forecast_name(score), group.empty() ? "" : " on " + group, against.naive,
                          factor(against.own_log_error), factor(against.naive_log_error), against.decodes,
                          against.decodes == 1 ? "" : "s");
    }
  }
  return text;
}

std::string beaten_text(const ScoreReport& report, Markup markup) {
  std::string text;
  for (const bool counted : {true, false}) {
    std::string lines;
    bool compared = false;
    for (const Score& score : counted ? report.overall.counted : report.overall.all)
      compared = compared || !score.against_naive.empty();
    for (const ScorePair* pair : {&report.overall, &report.by_machine, &report.by_model, &report.by_mode}) {
      if (pair == &report.by_machine && report.machines.size() < 2) continue;
      lines += beaten_lines(counted ? pair->counted : pair->all);
    }
    if (lines.empty())
      lines = compared ? "no forecast has been beaten by a naive one\n" : "there is nothing to compare\n";
    const char* over = counted ? "Over the runs that count" : "Over all runs";
    if (markup == Markup::markdown) {
      std::string items;
      for (size_t from = 0, to = 0; (to = lines.find('\n', from)) != std::string::npos; from = to + 1)
        items += "- " + lines.substr(from, to - from + 1);
      text += fmt::format("\n### {}\n\n{}", over, items);
    } else {
      text += fmt::format("\n{}:\n{}", over, lines);
    }
  }
  return text;
}

std::string rule_text(const analysis::Counting& counting) {
  const double runs = static_cast<double>(counting.counted + counting.excluded);
  std::string text = fmt::format(
      "A run counts when its A/A controls pass and its roofs, taken again after\n"
      "decode, agree within 5 %. "
      "{} of {} runs count; {:.0f} % do not",
      counting.counted, counting.counted + counting.excluded,
      runs > 0 ? 100 * static_cast<double>(counting.excluded) / runs : 0);
  const char* before = ": ";
  for (const auto& [reason, runs_of_it] : counting.reasons) {
    text += fmt::format("{}{} {}", before, runs_of_it, reason);
    before = ", ";
  }
  return text +
         ".\noff: median factor between measured and forecast; bias: median of measured /\n"
         "forecast; inside: share within the interval, which of ecm is meant to hold 90 %,\n"
         "of naive ones and curve only the scatter of reads; width: median of high / low.\n";
}

json json_of(const Score& score) {
  json made;
  if (!score.machine_key.empty()) made["machine_key"] = score.machine_key;
  if (!score.model.empty()) made["model"] = score.model;
  if (!score.mode.empty()) made["mode"] = score.mode;
  made["id"] = score.id;
  made["version"] = score.version;
  made["figures"] = score.figures;
  made["runs"] = score.runs;
  made["median_absolute_log_error"] = score.log_error;
  made["median_absolute_ratio_error"] = score.ratio_error;
  made["worst_absolute_log_error"] = score.worst_log_error;
  made["worst_decode"] = score.worst_decode;
  made["median_log_bias"] = score.log_bias;
  made["coverage"] = {
      {"share", score.coverage.median}, {"low", score.coverage.low}, {"high", score.coverage.high}};
  made["median_width_ratio"] = score.width_ratio > 0 ? json(score.width_ratio) : json(nullptr);
  made["against_naive"] = json::array();
  for (const auto& against : score.against_naive) {
    made["against_naive"].push_back({{"naive", against.naive},
                                     {"decodes", against.decodes},
                                     {"median_absolute_log_error", against.own_log_error},
                                     {"naive_median_absolute_log_error", against.naive_log_error},
                                     {"beaten", against.beaten()}});
  }
  return made;
}

json json_of(const std::vector<Score>& scores) {
  json list = json::array();
  for (const Score& score : scores) list.push_back(json_of(score));
  return list;
}

}  // namespace

ScoreReport make_report(const harness::ForecastRecord& record) {
  const auto pair = [&](By by) {
    return ScorePair{analysis::score(record, by, true), analysis::score(record, by, false)};
  };
  ScoreReport report{analysis::count_runs(record),
                     {},
                     pair(By::nothing),
                     pair(By::machine),
                     pair(By::model),
                     pair(By::mode),
                     pair(By::cell)};
  for (const harness::ForecastRun& run : record.runs) report.machines.push_back(run.machine_key);
  std::sort(report.machines.begin(), report.machines.end());
  report.machines.erase(std::unique(report.machines.begin(), report.machines.end()), report.machines.end());
  return report;
}

std::string to_text(const Terminal& terminal, const ScoreReport& report, Markup markup) {
  std::string text = rule_text(report.counting);
  text += table_of(terminal, "Overall", report.overall, markup);
  text += worst_text(report.overall, markup);
  if (report.machines.size() > 1) text += table_of(terminal, "By machine", report.by_machine, markup);
  text += table_of(terminal, "By model", report.by_model, markup);
  text += table_of(terminal, "By mode", report.by_mode, markup);
  return text + beaten_text(report, markup);
}

json to_json(const ScoreReport& report) {
  json made;
  made["rule"] = "A/A controls pass; roofs taken again after decode agree within 5 %";
  json reasons = json::object();
  for (const auto& [reason, runs] : report.counting.reasons) reasons[reason] = runs;
  made["runs"] = {
      {"counted", report.counting.counted}, {"excluded", report.counting.excluded}, {"reasons", reasons}};
  made["machines"] = report.machines;
  for (const bool counted : {true, false}) {
    json scores;
    const auto add = [&](const char* name, const ScorePair& pair) {
      scores[name] = json_of(counted ? pair.counted : pair.all);
    };
    add("overall", report.overall);
    add("by_machine", report.by_machine);
    add("by_model", report.by_model);
    add("by_mode", report.by_mode);
    add("by_machine_model_mode", report.by_cell);
    made[counted ? "counted_runs" : "all_runs"] = scores;
  }
  return made;
}

}  // namespace cli
