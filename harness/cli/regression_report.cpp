#include "harness/cli/regression_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/cli/comparison_words.hpp"
#include "harness/cli/markdown_table.hpp"
#include "harness/cli/sparkline.hpp"

namespace cli {
namespace {

using analysis::GroupTest;
using analysis::KernelVerdict;
using analysis::SeriesVerdict;
using analysis::SpeedSeries;
using harness::ExitCode;

constexpr int picture_columns = 24;
constexpr size_t many_series = 40;

bool as_it_was(const SeriesVerdict& verdict) {
  return verdict.word == "no_worse" || verdict.word == "cannot_tell";
}

std::string short_key(const std::string& machine_key) {
  return machine_key.substr(0, 8);
}

std::string model_and_mode(const harness::DecodeKey& key) {
  return plain(fmt::format("{} {}", key.model, mode_text(key)));
}

std::string picture(const Terminal& terminal, const SpeedSeries& series) {
  std::vector<double> values;
  values.reserve(series.points.size());
  for (const analysis::SpeedPoint& point : series.points) values.push_back(point.roof_fraction);
  return sparkline(terminal, values, picture_columns);
}

std::string percent_interval(const harness::Interval& ratio) {
  return fmt::format("{} [{} … {}]", percent(ratio.median), percent(ratio.low), percent(ratio.high));
}

std::string change_cell(const SeriesVerdict& verdict) {
  if (!verdict.judged()) return "-";
  if (verdict.word == "no_worse" && verdict.ratio.low == verdict.ratio.high) return "~";
  const bool none = verdict.ratio.low <= 1 && 1 <= verdict.ratio.high;
  return (none ? "~ " : "") + percent_interval(verdict.ratio);
}

std::string word_cell(const Terminal& terminal, const SeriesVerdict& verdict) {
  return word_text(terminal, verdict.word) + (verdict.gradual ? ", gradually" : "");
}

/// The shown series of one machine, which begin at `first`; returns where the next machine begins.
size_t add_machine(const Terminal& terminal, const RegressionReport& report, const RegressionForm& form,
                   size_t first, bool every, std::string& text) {
  Table table{{"model", "mode", "kernels", "of its roof", "change [95 %]", "could see", "sittings",
               "over time", "verdict"},
              {},
              {0, 1, 2, 7, 8}};
  std::string notes;
  const analysis::MachineTraits& machine = report.series[first].machine;
  size_t i = first;
  for (; i < report.series.size() && report.series[i].machine.machine_key == machine.machine_key; ++i) {
    const SpeedSeries& series = report.series[i];
    const SeriesVerdict& verdict = report.verdicts[i];
    if (!every && as_it_was(verdict)) continue;
    table.rows.push_back(
        {plain(series.key.model), mode_text(series.key), plain(how(series.key)),
         verdict.judged() ? fmt::format("{:.2f} % of {}", 100 * verdict.fraction, series.roof) : "-",
         change_cell(verdict), verdict.judged() ? percent(verdict.detectable_ratio) : "-",
         std::to_string(series.points.size()), picture(terminal, series), word_cell(terminal, verdict)});
    const std::string mark = verdict.word == "wrong"       ? mark_bad(terminal)
                             : verdict.word == "regressed" ? mark_bad(terminal)
                                                           : mark_warning(terminal);
    if (verdict.word == "regressed" || verdict.word == "suspected" || verdict.word == "improved")
      notes += fmt::format("{} {}: {}\n", verdict.word == "improved" ? mark_good(terminal) : mark,
                           name_of(series), change_of(series, verdict));
    if (!verdict.note.empty())
      notes += fmt::format("{} {}: {}\n", mark_warning(terminal), name_of(series), plain(verdict.note));
    if (!verdict.why.empty()) notes += fmt::format("{} {}: {}\n", mark, name_of(series), plain(verdict.why));
  }
  if (table.rows.empty()) return i;
  text += fmt::format("{}{} ({})\n\n{}{}\n", form.markdown ? "### " : "", plain(machine.cpu_model),
                      short_key(machine.machine_key),
                      form.markdown ? to_markdown(table) : to_text(terminal, table),
                      notes.empty() ? "" : "\n" + notes);
  return i;
}

std::string kernels_text(const Terminal& terminal, const RegressionReport& report,
                         const RegressionForm& form) {
  std::string text;
  for (const KernelVerdict& kernel : report.kernels) {
    const std::string claim = claim_of(kernel);
    if (claim.empty()) continue;
    text += fmt::format("{}{} {}\n", form.markdown ? "- " : "",
                        kernel.claimed() ? mark_bad(terminal) : mark_warning(terminal), claim);
    for (const std::string& flag : kernel.flags)
      text += fmt::format("{}{} {}: {}\n", form.markdown ? "- " : "", mark_warning(terminal),
                          kernel_name(kernel), plain(flag));
  }
  if (text.empty()) return "";
  return (form.markdown ? "### Across machines\n\n" : "Across machines\n\n") + text + "\n";
}

}  // namespace

std::string name_of(const SpeedSeries& series) {
  return fmt::format("{}, {}", model_and_mode(series.key), plain(how(series.key)));
}

std::string kernel_name(const KernelVerdict& kernel) {
  const std::string more = plain(how(kernel.key));  // without ISA it begins with a blank
  return model_and_mode(kernel.key) + (more.empty() ? "" : "," + more);
}

std::string change_of(const SpeedSeries& series, const SeriesVerdict& verdict) {
  const size_t after = series.points.size() - verdict.since_point;
  const std::string where = verdict.gradual
                                ? "gradually, " + series.points[verdict.since_point - 1].commit_name + ".." +
                                      series.points[verdict.until_point].commit_name
                                : "since " + analysis::commit_range(series, verdict.since_point);
  std::string text = fmt::format("{} {}, {} sitting{} after it", percent_interval(verdict.ratio),
                                 plain(where), after, after == 1 ? "" : "s");
  for (const analysis::LevelChange& change : verdict.changes) {
    if (change.at == verdict.since_point) text += fmt::format(", p {:.2g}", change.p);
  }
  return text + fmt::format(", among all series {:.2g}", verdict.adjusted_p);
}

std::string claim_of(const KernelVerdict& kernel) {
  const std::string name = kernel_name(kernel);
  const int hit = kernel.regressed_machines;
  if (kernel.word == "machines")
    return fmt::format(
        "{}: slower on {}", name,
        kernel.machines == 1 ? "the only machine that is judged"
        : hit == kernel.machines
            ? fmt::format("all {} machines that are judged, too few for a sign test", kernel.machines)
            : fmt::format("{} of {} machines, which have nothing in common that the others lack", hit,
                          kernel.machines));
  if (!kernel.claimed()) return "";
  const GroupTest& inside = kernel.inside;
  const std::string whom = kernel.word == "everywhere" ? "everywhere"
                           : kernel.word == "most"     ? "on most machines"
                                                       : "on machines with " + kernel.group + " only";
  std::string text =
      fmt::format("{}: slower {}, by {} since {}: {} of {} machines (sign test {:.2g})", name, plain(whom),
                  fmt::format("{:.1f} %", 100 * (1 - inside.ratio)), plain(kernel.commit_name), inside.slower,
                  inside.machines, inside.adjusted_p);
  if (kernel.outside)
    text += fmt::format("; the {} others {} ({} slower)", kernel.outside->machines,
                        percent(kernel.outside->ratio), kernel.outside->slower);
  for (size_t i = 0; i < kernel.same_as.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "; the same machines: " : " or ", plain(kernel.same_as[i]));
  return text;
}

std::string counts_of(const RegressionReport& report) {
  std::map<std::string, int> counts;
  for (const SeriesVerdict& verdict : report.verdicts) ++counts[verdict.word];
  std::string text;
  for (const char* word : {"wrong", "regressed", "suspected", "improved", "no_worse", "cannot_tell"}) {
    if (counts[word] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[word], spelt(word));
  }
  return fmt::format("{} series over {} commit{}{}: {}", report.series.size(), report.commits,
                     report.commits == 1 ? "" : "s",
                     report.since.empty() ? "" : ", judged since " + plain(report.since), text);
}

std::string to_text(const Terminal& terminal, const RegressionReport& report, const RegressionForm& form) {
  const bool every = form.all || report.series.size() <= many_series;
  std::string text;
  for (size_t i = 0; i < report.series.size();) i = add_machine(terminal, report, form, i, every, text);
  text += kernels_text(terminal, report, form);
  text += counts_of(report) + ".\n";
  const auto together = std::count_if(report.verdicts.begin(), report.verdicts.end(),
                                      [](const SeriesVerdict& verdict) { return !verdict.note.empty(); });
  if (together > 0)
    text +=
        fmt::format("{} of {} series lost tokens/s together with their read roof, which no fraction shows\n",
                    together, report.series.size());
  for (const auto& [reason, count] : report.left_out)
    text += fmt::format("left out: {} figure{}: {}\n", count, count == 1 ? "" : "s", reason);
  if (!every)
    text += "Series that are no worse, or have too few sittings, are not listed: --all lists them.\n";
  text += fmt::format(
      "regressed: lower by {0:.3g} % or more than it has been, as a fraction of the same sitting's read "
      "roof; "
      "could\nsee: the smallest slow-down that ten sittings after it would have shown in 9 of 10.\n",
      100 * report.rule.margin_ratio);
  return terminal.utf8 ? text : ascii(text);
}

ExitCode outcome(const RegressionReport& report) {
  bool judged = false, regressed = false, suspected = false;
  for (const SeriesVerdict& verdict : report.verdicts) {
    if (verdict.word == "wrong") return ExitCode::wrong_result;
    judged = judged || verdict.judged();
    regressed = regressed || verdict.word == "regressed";
    suspected = suspected || verdict.word == "suspected";
  }
  for (const KernelVerdict& kernel : report.kernels) regressed = regressed || kernel.claimed();
  if (!judged) return ExitCode::not_enough_data;
  return regressed ? ExitCode::regressed : suspected ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace cli
