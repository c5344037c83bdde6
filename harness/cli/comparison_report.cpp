#include "harness/cli/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/cli/comparison_words.hpp"
#include "harness/cli/markdown_table.hpp"

namespace cli {
namespace {

using analysis::ComparedRow;
using analysis::SpeedChange;
using harness::ExitCode;
using json = nlohmann::ordered_json;

bool compared(const ComparedRow& row) {
  return row.word != "only_old" && row.word != "only_new";
}

std::string plural(const std::string& unit) {
  return unit == "launch" ? "launches" : unit + "s";
}

std::string speed(const harness::Interval& interval, int count) {
  if (count == 0) return "-";
  const double half = 100 * (interval.high - interval.low) / 2 / interval.median;
  return format_count(interval.median) + (count < 2 ? "" : fmt::format(" ±{:.0f} %", std::ceil(half)));
}

std::string delta(const ComparedRow& row) {
  const harness::Interval& ratio = row.change.ratio;
  if (!compared(row) || ratio.median <= 0) return "-";
  const std::string range = fmt::format("[{} … {}]", percent(ratio.low), percent(ratio.high));
  return (ratio.low <= 1 && 1 <= ratio.high ? std::string("~ ") : percent(ratio.median) + " ") + range;
}

std::string visible(const ComparedRow& row) {
  return compared(row) && row.change.ratio.median > 0 ? percent(row.change.detectable_ratio) : "-";
}

std::string side_text(const char* name, const ComparedSide& side) {
  std::string text = fmt::format("{}  {}", name, plain(side.from));
  for (const harness::Suite& suite : side.suites)
    text += fmt::format(", tokroof {} {:.8}{} ({})", plain(suite.version), plain(suite.git_commit),
                        suite.git_dirty ? " with changes" : "", plain(suite.compiler));
  return text + (side.documents > 1 ? fmt::format(", {} documents\n", side.documents) : "\n");
}

std::string machine_text(const Terminal& terminal, const ComparedMachine& machine, ComparisonFormat format) {
  Table table{{"model", "mode", "kernels", "old tok/s", "new tok/s", "change [95 %]", "could see",
               plural(machine.unit), "verdict"},
              {},
              {0, 1, 2, 8}};
  std::string notes;
  for (const ComparedRow& row : machine.rows) {
    const bool wrong = row.word == "wrong";
    table.rows.push_back({row.key.model, mode_text(row.key), how(row.key),
                          wrong ? "-" : speed(row.change.old_tokens_per_s, row.change.old_count),
                          wrong ? "-" : speed(row.change.new_tokens_per_s, row.change.new_count), delta(row),
                          visible(row), fmt::format("{} + {}", row.change.old_count, row.change.new_count),
                          word_text(terminal, row.word)});
    if (row.again)
      notes += fmt::format("again: {} {}: {} [{} … {}]\n", row.key.model, mode_text(row.key),
                           percent(row.again->ratio.median), percent(row.again->ratio.low),
                           percent(row.again->ratio.high));
    if (!row.why.empty())
      notes += fmt::format("{} {} {}: {}\n", wrong ? mark_bad(terminal) : mark_warning(terminal),
                           row.key.model, mode_text(row.key), plain(row.why));
  }
  const bool text = format == ComparisonFormat::text;
  return fmt::format("{}{}\n\n", text ? "" : "### ", plain(machine.cpu_model)) +
         (text ? to_text(terminal, table) : to_markdown(table)) + (notes.empty() ? "" : "\n" + notes);
}

json change_json(const SpeedChange& change) {
  json made = {{"old_count", change.old_count}, {"new_count", change.new_count}};
  if (change.old_count > 0) made["old_tokens_per_s"] = interval_json(change.old_tokens_per_s);
  if (change.new_count > 0) made["new_tokens_per_s"] = interval_json(change.new_tokens_per_s);
  if (change.ratio.median <= 0) return made;
  made["speed_ratio"] = interval_json(change.ratio);
  made["detectable_ratio"] = change.detectable_ratio;
  made["slower_p"] = change.slower_p;
  return made;
}

json row_json(const ComparedRow& row) {
  json made = key_json(row.key);
  made["verdict"] = row.word;
  if (!row.why.empty()) made["why"] = row.why;
  if (row.word != "wrong") made.update(change_json(row.change));
  if (row.again) made["again"] = change_json(*row.again);
  return made;
}

json side_json(const ComparedSide& side) {
  json made = {{"from", side.from}, {"documents", side.documents}, {"suites", json::array()}};
  for (const harness::Suite& suite : side.suites)
    made["suites"].push_back({{"version", suite.version},
                              {"git_commit", suite.git_commit},
                              {"git_dirty", suite.git_dirty},
                              {"binary_sha256", suite.binary_sha256},
                              {"compiler", suite.compiler},
                              {"flags", suite.flags}});
  return made;
}

}  // namespace

std::string to_text(const Terminal& terminal, const ComparisonReport& report, ComparisonFormat format) {
  const bool markup = format == ComparisonFormat::markdown;
  std::string text = (markup ? "- " : "") + side_text("old", report.before) + (markup ? "- " : "") +
                     side_text("new", report.after) + "\n";
  for (const ComparedMachine& machine : report.machines)
    text += machine_text(terminal, machine, format) + "\n";
  if (!report.counts.empty()) {
    const std::string lines = to_text(terminal, report.counts);
    text += (markup ? "```\n" + lines + "```\n" : lines) + "\n";
  }
  text += fmt::format(
      "regressed: slower by {:.3g} % or more and the interval below 0; no worse: the interval above −{:.3g} "
      "%;\n"
      "~: no difference shown; could see: the smallest slow-down that would have been called regressed in 9 "
      "of 10.\n",
      100 * report.rule.margin_ratio, 100 * report.rule.margin_ratio);
  for (const std::string& line : report.notes) text += line + "\n";
  return terminal.utf8 ? text : ascii(text);
}

json to_json(const ComparisonReport& report) {
  json machines = json::array();
  for (const ComparedMachine& machine : report.machines) {
    json rows = json::array();
    for (const ComparedRow& row : machine.rows) rows.push_back(row_json(row));
    machines.push_back({{"machine_key", machine.machine_key},
                        {"cpu_model", machine.cpu_model},
                        {"unit", machine.unit},
                        {"decodes", rows}});
  }
  return {{"margin_ratio", report.rule.margin_ratio},
          {"alpha", report.rule.alpha},
          {"power", report.rule.power},
          {"pilot_rounds", report.pilot_rounds},
          {"old", side_json(report.before)},
          {"new", side_json(report.after)},
          {"machines", machines},
          {"counts", to_json(report.counts)},
          {"notes", report.notes}};
}

ExitCode outcome(const ComparisonReport& report) {
  bool any = false, regressed = false, open = false;
  for (const ComparedMachine& machine : report.machines) {
    for (const ComparedRow& row : machine.rows) {
      if (row.word == "wrong") return ExitCode::wrong_result;
      any = any || (compared(row) && row.change.has_interval());
      regressed = regressed || row.word == "regressed";
      open = open || row.word == "suspected" || row.word == "inconclusive";
    }
  }
  if (!any) return ExitCode::not_enough_data;
  return regressed ? ExitCode::regressed : open ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace cli
