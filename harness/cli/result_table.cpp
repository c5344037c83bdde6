#include "harness/cli/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report.hpp"
#include "analysis/serving_roof.hpp"
#include "analysis/team.hpp"
#include "harness/cli/disturbed_text.hpp"
#include "harness/cli/forecast_table.hpp"

namespace cli {
namespace {

using harness::Interval;

/// More than one model's plan with its stream's and another ISA's: too much for wide tables.
bool has_many_plans(const harness::Submission& submission) {
  constexpr size_t few = 3;
  return submission.plans.size() > few;
}

std::string dash(const Terminal& terminal) {
  return terminal.utf8 ? "–" : "-";
}

/// One launch, or one round, has no spread: its interval would be a claim of certainty.
bool is_single(const Interval& interval) {
  return interval.low == interval.high;
}

std::string ratio_text(const Terminal& terminal, const Interval& ratio) {
  if (is_single(ratio)) return fmt::format("{:.3f} [no interval]", ratio.median);
  return fmt::format("{:.3f} [{:.3f}{}{:.3f}]", ratio.median, ratio.low, dash(terminal), ratio.high);
}

/// The model, and how its tokens choose experts where a trace does.
std::string model_text(const harness::DecodeKey& key) {
  return key.routing == "none" ? key.model : key.model + " " + key.routing;
}

std::string arm_text(const harness::DecodeResult& result) {
  if (result.arm == "aa") return "warm again (A/A)";
  if (result.key.placement != "none") return fmt::format("{} ({})", result.key.mode, result.key.placement);
  return result.key.mode;
}

/// Finds the ratio of a result's arm to warm, or nullptr (warm itself).
const harness::ArmRatio* ratio_to_warm(const harness::Submission& submission,
                                       const harness::DecodeResult& result) {
  const auto found =
      std::find_if(submission.derived.ratios.begin(), submission.derived.ratios.end(),
                   [&](const auto& r) { return r.name == result.arm + "/warm" && r.key == result.key; });
  return found == submission.derived.ratios.end() ? nullptr : &*found;
}

std::string rate_interval(const Terminal& terminal, const Interval& rate) {
  return fmt::format("{:.1f} [{:.1f}{}{:.1f}]", rate.median / 1e9, rate.low / 1e9, dash(terminal),
                     rate.high / 1e9);
}

/// What a decode and its forecasts have in common, as the heading of a group.
std::string group_heading(const Terminal& terminal, const harness::DecodeResult& result) {
  return fmt::format("{} on {}, {} per token, positions {}, {} launch{}\n", model_text(result.key),
                     result.key.isa, format_bytes(static_cast<double>(result.weight_bytes_per_token)),
                     positions_text(terminal, result.key), result.launches, result.launches == 1 ? "" : "es");
}

/// Measured ÷ forecast, marked when inside the forecast's interval; "" without that forecast.
std::string error_text(const harness::Submission& submission, const harness::DecodeResult& result,
                       const std::string& forecast) {
  if (result.arm == "aa") return "";
  for (const harness::ForecastError& error : submission.derived.forecast_errors) {
    if (error.id == forecast && error.key == result.key)
      return fmt::format("{:.2f}{}", error.measured_over_forecast, error.inside_interval ? "*" : "");
  }
  return "";
}

/// Says what stands behind a speed-up by threads, or in its way.
std::string team_text(const harness::Submission& submission, const harness::ArmRatio& ratio) {
  const auto together = analysis::together_clock_ratio(submission);
  if (ratio.key.threads == 1 || !together) return "";
  if (*together < analysis::own_core_ratio) {
    return fmt::format(
        "  no judgement: the PUs run at {:.2f} of one alone, siblings, busy neighbours, or a lower clock\n",
        *together);
  }
  const auto& flags = submission.derived.flags;
  if (std::any_of(flags.begin(), flags.end(), [](const auto& flag) { return flag.code == "thread_starved"; }))
    return "  no judgement: something else ran where the threads decode (thread_starved, below)\n";
  std::string text = fmt::format("  before decode the PUs together ran at {:.2f} of one alone\n", *together);
  if (const auto waiting = analysis::median_param(submission, "waiting_ratio"))
    text += fmt::format("  {:.0f} % of the first thread's time is waiting for the others\n", 100 * *waiting);
  const auto read = analysis::median_param(submission, "team_read_bytes_per_s");
  for (const harness::DecodeResult& result : submission.derived.decode) {
    if (!read || result.key != ratio.key || result.arm != "warm") continue;
    if (result.key.routing != "none") continue;  // experts, drawn from a pool that those streams did not read
    text += fmt::format("  reads {} of weights, {:.0f} % of what the read streams of all PUs together read\n",
                        format_rate(result.weight_bytes_per_s), 100 * result.weight_bytes_per_s / *read);
  }
  return text;
}

/// One line per pair of plans whose warm arms were compared in rounds.
std::string isa_ratios_text(const Terminal& terminal, const harness::Submission& submission) {
  std::string text;
  for (const harness::ArmRatio& ratio : submission.derived.ratios) {
    const size_t slash = ratio.name.find('/');
    if (ratio.name.substr(slash + 1) == "warm") continue;
    text += fmt::format("{}: warm speed on {} / on {}: {} [95 %], {} rounds\n", ratio.key.model,
                        ratio.name.substr(0, slash), ratio.name.substr(slash + 1),
                        ratio_text(terminal, ratio.speed_ratio), ratio.launches);
    text += team_text(submission, ratio);
  }
  return text.empty() ? text : text + "\n";
}

/// Says which figure of the table above is impossible, and by which sum; "" when none is.
std::string invalid_line(const Terminal& terminal, const std::string& figure, const std::string& invalid) {
  return invalid.empty() ? "" : fmt::format("{} {} is invalid: {}\n", mark_bad(terminal), figure, invalid);
}

/// Says which controls would tell why an antagonist slows a decode, where none of them ran; "" otherwise.
std::string split_advice(const harness::Submission& submission) {
  const auto beside = std::find_if(submission.derived.decode.begin(), submission.derived.decode.end(),
                                   [](const auto& result) { return result.key.mode == "evict_read"; });
  if (beside == submission.derived.decode.end() || !submission.derived.slowdowns.empty()) return "";
  return fmt::format(
      "what evict_read costs can be eviction, bandwidth or core sharing: tokroof run --full tells, or "
      "tokroof decode {} --mode evict_read --mode evict_flush --mode own_l1 --mode stream_llc\n\n",
      beside->key.model);
}

/// The series of arms that gave no speed, with their reasons, each once.
std::vector<std::string> missing_arms(const harness::Submission& submission) {
  std::vector<std::string> lines;
  const bool many = has_many_plans(submission);
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      if (series.status == harness::Status::ok) continue;
      std::string name = series.arm.empty() ? series.probe : series.arm;
      if (many && !series.model.empty()) name += " of " + series.model;
      const std::string line =
          fmt::format("{}: {} ({})", name,
                      series.status == harness::Status::failed ? "failed" : "unavailable", series.reason);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

/// Without probes no figure has a roof.
void drop_empty_column(Table& table, size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  if (std::any_of(table.rows.begin(), table.rows.end(),
                  [&](const auto& row) { return !row[column].empty(); }))
    return;
  table.header.erase(table.header.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

}  // namespace

std::string positions_text(const Terminal& terminal, const harness::DecodeKey& key) {
  return format_count(key.position_first) + dash(terminal) + format_count(key.position_last);
}

std::string format_interval(const Terminal& terminal, const Interval& interval) {
  if (is_single(interval)) return format_count(interval.median) + " [no interval]";
  return fmt::format("{} [{}{}{}]", format_count(interval.median), format_count(interval.low), dash(terminal),
                     format_count(interval.high));
}

std::string roofs_text(const Terminal& terminal, const std::vector<harness::Roof>& roofs) {
  Table table{{"level", "read at", "GB/s [95 %]", "load-to-use ns [95 %]", ""}, {}, {0, 4}};
  double best = 0;
  for (const harness::Roof& roof : roofs) {
    if (const auto* rate = std::get_if<Interval>(&roof.read_bytes_per_s)) best = std::max(best, rate->median);
  }
  for (const harness::Roof& roof : roofs) {
    const auto* rate = std::get_if<Interval>(&roof.read_bytes_per_s);
    const auto* latency = std::get_if<Interval>(&roof.load_latency_ns);
    table.rows.push_back(
        {roof.threads == 1 ? roof.level : fmt::format("{}, {} threads", roof.level, roof.threads),
         rate || latency ? format_bytes(static_cast<double>(roof.size_bytes)) : "",
         rate ? rate_interval(terminal, *rate) : "unavailable",
         latency ? fmt::format("{:.1f} [{:.1f}{}{:.1f}]", latency->median, latency->low, dash(terminal),
                               latency->high)
                 : "unavailable",
         rate ? bar(terminal, rate->median / best, 20)
              : std::get<harness::Unavailable>(roof.read_bytes_per_s).reason});
  }
  std::string text = to_text(terminal, table);
  for (const harness::Roof& roof : roofs) text += invalid_line(terminal, roof.level, roof.invalid);
  return text;
}

std::string decode_text(const Terminal& terminal, const harness::Submission& submission) {
  std::string text;
  std::string last_heading;
  Table table;
  const auto flush = [&] {
    if (table.rows.empty()) return;
    drop_empty_column(table, 4);
    text += last_heading + to_text(terminal, table) + "\n";
  };
  for (const harness::DecodeResult& result : submission.derived.decode) {
    const std::string heading = fmt::format(
        "{} on {}{}{}{}, {} of weights per token, positions {}, {} launch{}\n", model_text(result.key),
        result.key.isa, result.key.arithmetic == "int8" ? "" : ", " + result.key.arithmetic + " arithmetic",
        result.key.threads == 1 ? "" : fmt::format(", {} threads", result.key.threads),
        result.key.page_bytes == 4096 ? "" : ", huge pages",
        format_bytes(static_cast<double>(result.weight_bytes_per_token)),
        positions_text(terminal, result.key), result.launches, result.launches == 1 ? "" : "es");
    if (heading != last_heading) {
      flush();
      last_heading = heading;
      table = {
          {"mode", "tok/s [95 %]", "median speed / warm [95 %]", "GB/s", "of its roof",
           terminal.utf8 ? "block p50 µs" : "block p50 us", terminal.utf8 ? "block p99 µs" : "block p99 us"},
          {},
          {0}};
    }
    const harness::ArmRatio* ratio = ratio_to_warm(submission, result);
    const auto roof = analysis::serving_roof(submission, result);
    table.rows.push_back(
        {arm_text(result), format_interval(terminal, result.tokens_per_s),
         ratio != nullptr ? ratio_text(terminal, ratio->speed_ratio) : "",
         fmt::format("{:.1f}", result.weight_bytes_per_s / 1e9),
         roof ? fmt::format("{:.0f} % {}", 100 * result.weight_bytes_per_s / roof->read_bytes_per_s,
                            roof->level)
              : "",
         fmt::format("{:.1f}", static_cast<double>(result.token_ns_p50) / 1e3),
         fmt::format("{:.1f}", static_cast<double>(result.token_ns_p99) / 1e3)});
  }
  flush();
  for (const std::string& sentence : analysis::slowdown_sentences(submission)) text += sentence + "\n\n";
  text += split_advice(submission);
  text += isa_ratios_text(terminal, submission);
  for (const harness::DecodeResult& result : submission.derived.decode)
    text += invalid_line(terminal, arm_text(result), result.invalid);
  for (const std::string& line : missing_arms(submission)) text += line + "\n";
  return text;
}

std::string grouped_text(const Terminal& terminal, const harness::Submission& submission) {
  std::string text, last_heading, placement;
  Table table;
  const auto flush = [&] {
    if (table.rows.empty()) return;
    text += last_heading + to_text(terminal, table);
    if (!placement.empty()) text += fmt::format("(concurrent threads ran on: {})\n", placement);
    text += "\n";
  };
  for (const harness::DecodeResult& result : submission.derived.decode) {
    const std::string heading = group_heading(terminal, result);
    if (heading != last_heading) {
      flush();
      last_heading = heading;
      placement.clear();
      table = {{"mode", "tok/s [95 %]", "speed / warm [95 %]", "ecm", "dram", "cache"}, {}, {0}};
    }
    if (result.key.placement != "none") placement = result.key.placement;
    const harness::ArmRatio* ratio = ratio_to_warm(submission, result);
    table.rows.push_back({result.arm == "aa" ? "A/A" : result.key.mode,
                          format_interval(terminal, result.tokens_per_s),
                          ratio != nullptr ? ratio_text(terminal, ratio->speed_ratio) : "",
                          error_text(submission, result, "ecm"), error_text(submission, result, "dram_roof"),
                          error_text(submission, result, "cache_roof")});
  }
  flush();
  text += "ecm, dram, cache: measured / forecast; * inside its interval (ecm: 90 %)\n";
  text += isa_ratios_text(terminal, submission);
  for (const std::string& line : missing_arms(submission)) text += line + "\n";
  return text;
}

std::string flags_text(const Terminal& terminal, const harness::Submission& submission) {
  std::string text;
  for (const harness::Flag& flag : submission.derived.flags) {
    text += fmt::format("{} {}: {}\n", mark_warning(terminal), flag.code, flag.detail);
  }
  return text;
}

std::string findings_text(const Terminal& terminal, const harness::Submission& submission) {
  const harness::Machine& machine = submission.machine;
  std::string text =
      fmt::format("{}, {} cores{}, measured on PU {}\n\n", machine.cpu_model, machine.cores,
                  machine.virtualised ? ", virtual machine" : "", submission.conditions.pinned_pu);
  if (!submission.derived.roofs.empty()) text += roofs_text(terminal, submission.derived.roofs) + "\n";
  if (has_many_plans(submission)) {
    text += grouped_text(terminal, submission) + "\n";
  } else {
    text += decode_text(terminal, submission);
    if (!submission.forecasts.empty()) text += forecasts_text(terminal, submission) + "\n";
    for (const std::string& sentence : analysis::expert_sentences(submission.forecasts))
      text += sentence + "\n\n";
  }
  text += disturbed_text(submission.launches) + "\n";
  text += analysis::one_sentence(submission) + "\n";
  return text + flags_text(terminal, submission);
}

std::string result_text(const Terminal& terminal, const harness::Submission& submission, const Saved& saved) {
  return findings_text(terminal, submission) +
         fmt::format("\nsubmission: {}\ncontent SHA-256: {}\n", saved.path, saved.content_sha256);
}

}  // namespace cli
