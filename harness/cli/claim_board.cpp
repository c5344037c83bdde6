#include "harness/cli/claim_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/claim.hpp"
#include "harness/cli/claim_history.hpp"
#include "harness/cli/claim_numbers.hpp"
#include "harness/cli/foreign_text.hpp"

namespace cli {
namespace {

using nlohmann::json;

/// A text of others as one cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return markdown_safe(line);
}

/// Members of a stored verdict for the board.
std::string board_numbers(const json& machine) {
  std::string text;
  for (const json& part : machine.at("parts")) {
    const json& interval = part.at("interval");
    text +=
        fmt::format("{}{} {} of {}", text.empty() ? "" : "<br>", cell(part.at("name").get<std::string>()),
                    interval_text(interval.at("median").get<double>(), interval.at("low").get<double>(),
                                  interval.at("high").get<double>()),
                    region_text(part.at("region").value("low", 0.0),
                                part.at("region").value("high", std::numeric_limits<double>::infinity())));
  }
  return text;
}

std::string board_controls(const json& machine) {
  const json& controls = machine.at("controls");
  if (controls.empty()) return "–";
  size_t held = 0;
  for (const json& control : controls) held += control.at("holds").get<bool>() ? 1 : 0;
  return fmt::format("{} of {} A/A hold", held, controls.size());
}

std::string board_launches(const json& machine) {
  size_t least = 0, missing = 0;
  for (const json& part : machine.at("parts")) {
    least = std::max(least, part.at("launches").get<size_t>());
    missing = std::max(missing, part.at("missing").get<size_t>());
  }
  return missing == 0 ? std::to_string(least) : fmt::format("{} ({} failed)", least, missing);
}

/// What the word of one machine lacks: proof, or the agreement of the other machines.
std::string board_remark(const json& verdict, const json& machine) {
  std::string text = machine.at("unproven").get<bool>() || verdict.contains("doubts") ? " (unproven)" : "";
  const auto overall = verdict.at("verdict").get<std::string>();
  if (overall != machine.at("verdict").get<std::string>()) text += fmt::format("; overall {}", overall);
  return text;
}

/// The rows of one claim, one per machine that was judged.
std::string board_rows(const FiledClaim& filed, const ClaimState& state, const ClaimHistory& history) {
  const analysis::Claim claim = analysis::claim_from_json(filed.text);
  const std::string first =
      fmt::format("| `{}`{} | {} |", claim.id, history.exploratory() ? " †" : "", cell(claim.published));
  const std::string before = history.earlier.empty() ? "" : "; before: " + earlier_text(history);
  const std::string last = fmt::format(" `{}` |\n", run_command(claim));
  if (state.verdict.empty()) return fmt::format("{} {}{} | | | | |{}", first, state.word, before, last);
  std::string text;
  const json verdict = json::parse(state.verdict);
  for (const json& machine : verdict.at("machines")) {
    text +=
        fmt::format("{} **{}**{}{} | {} | {} | {} | {} |{}", first, machine.at("verdict").get<std::string>(),
                    board_remark(verdict, machine), before, cell(machine.at("cpu_model").get<std::string>()),
                    board_numbers(machine), board_launches(machine), board_controls(machine), last);
  }
  return text;
}

std::string runs_text(const ClaimState& state) {
  if (state.begun == 0) return "";
  return fmt::format("{} begun, {} finished{}", state.begun, state.finished,
                     state.abandoned == 0 ? "" : fmt::format(", {} abandoned", state.abandoned));
}

void add_history(const ClaimHistory& history, nlohmann::ordered_json& entry) {
  if (!history.seen.empty()) entry["seen"] = history.seen;
  for (const Amendment& amendment : history.amendments)
    entry["amendments"].push_back(
        {{"utc", amendment.utc}, {"supersedes", amendment.superseded}, {"reason", amendment.reason}});
  for (const analysis::EarlierVerdict& earlier : history.earlier) {
    nlohmann::ordered_json before = {{"seal", earlier.seal}};
    before["verdict"] =
        earlier.word.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(earlier.word);
    before["unproven"] = earlier.unproven;
    entry["earlier"].push_back(before);
  }
}

}  // namespace

std::string list_text(const Terminal& terminal, const ClaimsFolder& folder, const std::string& now_utc) {
  Table table{{"claim", "state", "due", "seal", "runs", "before"}, {}, {0, 1, 2, 3, 4, 5}};
  for (const FiledClaim& filed : folder.claims) {
    const std::string fault = fault_of(filed);
    const std::string due = fault.empty() ? analysis::claim_from_json(filed.text).due_utc : "";
    const ClaimState state =
        fault.empty() ? state_of(folder, filed, now_utc) : ClaimState{"invalid: " + fault, ""};
    table.rows.push_back({filed.id, state.word, due, filed.seal.substr(0, 12), runs_text(state),
                          earlier_text(history_of(folder, filed))});
  }
  return to_text(terminal, table);
}

std::string list_json(const ClaimsFolder& folder, const std::string& now_utc) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const FiledClaim& filed : folder.claims) {
    const std::string fault = fault_of(filed);
    nlohmann::ordered_json entry = {{"id", filed.id}};
    if (!fault.empty()) {
      entry["state"] = "invalid";
      entry["reason"] = fault;
      list.push_back(entry);
      continue;
    }
    const ClaimState state = state_of(folder, filed, now_utc);
    entry["state"] = state.word;
    entry["seal"] = filed.sealed() ? nlohmann::ordered_json(filed.seal) : nlohmann::ordered_json(nullptr);
    if (filed.sealed()) entry["sealed_utc"] = filed.sealed_utc;
    entry["due_utc"] = analysis::claim_from_json(filed.text).due_utc;
    if (!state.verdict.empty()) entry["verdict"] = nlohmann::ordered_json::parse(state.verdict);
    if (state.begun > 0)
      entry["runs"] = {{"begun", state.begun}, {"finished", state.finished}, {"abandoned", state.abandoned}};
    add_history(history_of(folder, filed), entry);
    list.push_back(entry);
  }
  return list.dump(2) + "\n";
}

std::string list_markdown(const ClaimsFolder& folder, const std::string& now_utc) {
  bool any_exploratory = false;
  std::string text =
      "| claim | published | verdict | machine | median [95 %] of claimed | launches | controls | repeat |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const FiledClaim& filed : folder.claims) {
    if (!fault_of(filed).empty()) continue;
    const ClaimHistory history = history_of(folder, filed);
    any_exploratory = any_exploratory || history.exploratory();
    text += board_rows(filed, state_of(folder, filed, now_utc), history);
  }
  if (any_exploratory)
    text +=
        "\n† Exploratory runs were seen before the claim was sealed, or it was amended: what tests its "
        "margins is a "
        "replication.\n";
  return text;
}

}  // namespace cli
