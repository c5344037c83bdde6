#include "harness/cli/claim_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/error.hpp"

namespace cli {
namespace {

using nlohmann::json;

/// Four digits, or whole thousands.
std::string number_text(double value) {
  constexpr double many = 10'000;
  return value >= many ? format_count(value) : fmt::format("{:.4g}", value);
}

std::string interval_text(double median, double low, double high) {
  return fmt::format("{} [{} – {}]", number_text(median), number_text(low), number_text(high));
}

std::string interval_text(const harness::Interval& interval) {
  return interval_text(interval.median, interval.low, interval.high);
}

std::string region_text(double low, double high) {
  if (std::isinf(high)) return "≥ " + number_text(low);
  if (low <= 0) return "≤ " + number_text(high);
  return number_text(low) + " – " + number_text(high);
}

Colour colour_of(const std::string& word) {
  return word == "supported" ? Colour::green : word == "falsified" ? Colour::red : Colour::yellow;
}

std::string word_text(const Terminal& terminal, const std::string& word, bool unproven) {
  return paint(terminal, unproven ? Colour::yellow : colour_of(word), word) + (unproven ? " (unproven)" : "");
}

std::string needed_text(const analysis::PartVerdict& part) {
  if (part.launches_needed == 0) return "";
  return part.launches_needed > 100'000 ? "more than 100,000 launches"
                                        : fmt::format("{} launches in all", part.launches_needed);
}

std::string parts_text(const Terminal& terminal, const analysis::MachineVerdict& machine) {
  Table table{{"part", "claimed", "median [interval]", "sign", "launches", "failed", "verdict", "would need"},
              {},
              {0, 1, 6, 7}};
  for (const analysis::PartVerdict& part : machine.parts) {
    table.rows.push_back(
        {part.name, region_text(part.region.low, part.region.high), interval_text(part.interval),
         number_text(part.sign.low) + " – " + number_text(part.sign.high), std::to_string(part.values.size()),
         std::to_string(part.missing), part.verdict, needed_text(part)});
  }
  return to_text(terminal, table);
}

std::string machine_text(const Terminal& terminal, const analysis::MachineVerdict& machine) {
  std::string text =
      fmt::format("{}: {}{}{}\n", machine.cpu_model, word_text(terminal, machine.verdict, machine.unproven),
                  machine.document.empty() ? "" : fmt::format(", document {:.8}", machine.document),
                  machine.why.empty() ? "" : " (" + machine.why + ")");
  if (!machine.parts.empty()) text += parts_text(terminal, machine);
  for (const analysis::ControlVerdict& control : machine.controls) {
    text += fmt::format("{} control {}: {}\n", control.holds ? mark_good(terminal) : mark_bad(terminal),
                        control.name, interval_text(control.interval));
  }
  for (const std::string& doubt : machine.doubts) text += mark_warning(terminal) + " " + doubt + "\n";
  for (const analysis::Replication& later : machine.replications) {
    text += fmt::format("replication {:.8} (not judged):", later.document);
    for (size_t i = 0; i < later.parts.size(); ++i)
      text += fmt::format(" {} {}, differs with p {:.3f};", machine.parts[i].name,
                          interval_text(later.parts[i]), later.differs_p[i]);
    text += "\n";
  }
  return text;
}

/// Members of a stored verdict for the board.
std::string board_numbers(const json& machine) {
  std::string text;
  for (const json& part : machine.at("parts")) {
    const json& interval = part.at("interval");
    text +=
        fmt::format("{}{} {} of {}", text.empty() ? "" : "<br>", part.at("name").get<std::string>(),
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

/// Why a claim file is none, "" when it is one.
std::string fault_of(const FiledClaim& filed) {
  try {
    const analysis::Claim claim = analysis::claim_from_json(filed.text);
    return claim.id == filed.id ? "" : fmt::format("its id is {}", claim.id);
  } catch (const harness::Error& error) {
    return error.what();
  }
}

std::string run_command(const analysis::Claim& claim) {
  return analysis::is_census(claim) ? fmt::format("tokroof claim verdict {}", claim.id)
                                    : fmt::format("tokroof run --claim {}", claim.id);
}

}  // namespace

ClaimState state_of(const ClaimsFolder& folder, const FiledClaim& claim, const std::string& now_utc) {
  if (!claim.sealed()) return {"draft", ""};
  ClaimState state{"sealed", ""};
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.kind == "verdict" && row.claim == claim.id && row.seal == claim.seal) state.verdict = row.verdict;
  }
  if (!state.verdict.empty()) {
    const json verdict = json::parse(state.verdict);
    state.word = verdict.at("verdict").get<std::string>();
    if (verdict.at("unproven").get<bool>()) state.word += " (unproven)";
  } else if (analysis::claim_from_json(claim.text).due_utc < now_utc) {
    state.word = "overdue";
  }
  return state;
}

std::string claim_text(const analysis::Claim& claim, const FiledClaim& filed,
                       const analysis::ClaimCheck& check) {
  std::string text = fmt::format(
      "{}\n  {}\n  source:        {}\n  published:     {}\n  refuted by:    {}\n  support means: {}\n",
      claim.id, claim.hypothesis, claim.source, claim.published, claim.control, claim.support_means);
  for (const std::string& predicate : claim.population) text += "  population:    " + predicate + "\n";
  for (const std::string& predicate : claim.exclusions) text += "  excluded when: " + predicate + "\n";
  for (const analysis::ClaimPart& part : claim.parts)
    text += fmt::format("  part {}: {} {}\n", part.name, part.quantity,
                        region_text(part.region.low, part.region.high));
  text += fmt::format("  {} launches, then judged; due {}\n", claim.launches, claim.due_utc);
  text += filed.sealed() ? fmt::format("  sealed {} as {}\n", filed.sealed_utc, filed.seal)
                         : "  draft: not sealed\n";
  for (const std::string& sum : check.sums) text += "  " + sum + "\n";
  for (const std::string& refusal : check.refusals) text += "  refused: " + refusal + "\n";
  return text;
}

std::string verdict_text(const Terminal& terminal, const analysis::Claim& claim,
                         const analysis::ClaimVerdict& verdict, const std::string& seen) {
  std::string text = fmt::format(
      "{}: {}, on {} machine{}\n{}\n\n", claim.id, word_text(terminal, verdict.verdict, verdict.unproven),
      verdict.machines.size(), verdict.machines.size() == 1 ? "" : "s", claim.hypothesis);
  for (const analysis::MachineVerdict& machine : verdict.machines)
    text += machine_text(terminal, machine) + "\n";
  for (const std::string& doubt : verdict.doubts) text += mark_warning(terminal) + " " + doubt + "\n";
  if (verdict.runs_begun > 0)
    text += fmt::format("runs begun for this seal: {}, abandoned: {}\n", verdict.runs_begun,
                        verdict.runs_abandoned);
  if (!seen.empty())
    text += fmt::format("seen before sealing: {}; what tests the margins is a replication\n", seen);
  for (const analysis::LeftOut& left : verdict.left_out)
    text += fmt::format("left out {:.8}: {}\n", left.document, left.why);
  return text + "repeat: " + run_command(claim) + "\n";
}

std::string seen_before(const ClaimsFolder& folder, const FiledClaim& claim) {
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.kind == "seal" && row.claim == claim.id) return row.reason;
  }
  return "";
}

std::string list_text(const Terminal& terminal, const ClaimsFolder& folder, const std::string& now_utc) {
  Table table{{"claim", "state", "due", "seal"}, {}, {0, 1, 2, 3}};
  for (const FiledClaim& filed : folder.claims) {
    const std::string fault = fault_of(filed);
    const std::string due = fault.empty() ? analysis::claim_from_json(filed.text).due_utc : "";
    table.rows.push_back({filed.id,
                          fault.empty() ? state_of(folder, filed, now_utc).word : "invalid: " + fault, due,
                          filed.seal.substr(0, 12)});
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
    list.push_back(entry);
  }
  return list.dump(2) + "\n";
}

std::string list_markdown(const ClaimsFolder& folder, const std::string& now_utc) {
  bool any_seen = false;
  std::string text =
      "| claim | published | verdict | machine | median [95 %] of claimed | launches | controls | repeat |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const FiledClaim& filed : folder.claims) {
    if (!fault_of(filed).empty()) continue;
    const analysis::Claim claim = analysis::claim_from_json(filed.text);
    const ClaimState state = state_of(folder, filed, now_utc);
    const bool seen = !seen_before(folder, filed).empty();
    const std::string first = fmt::format("| `{}`{} | {} |", claim.id, seen ? " †" : "", claim.published);
    any_seen = any_seen || seen;
    const std::string last = fmt::format(" `{}` |\n", run_command(claim));
    if (state.verdict.empty()) {
      text += fmt::format("{} {} | | | | |{}", first, state.word, last);
      continue;
    }
    const json verdict = json::parse(state.verdict);
    for (const json& machine : verdict.at("machines")) {
      text +=
          fmt::format("{} **{}**{} | {} | {} | {} | {} |{}", first, machine.at("verdict").get<std::string>(),
                      board_remark(verdict, machine), machine.at("cpu_model").get<std::string>(),
                      board_numbers(machine), board_launches(machine), board_controls(machine), last);
    }
  }
  if (any_seen)
    text +=
        "\n† Exploratory runs were seen before the claim was sealed: what tests its margins is a "
        "replication.\n";
  return text;
}

std::string log_json(const ClaimsFolder& folder) {
  std::string text;
  std::istringstream lines(folder.ledger);
  for (std::string line; std::getline(lines, line);) text += (text.empty() ? "" : ",\n") + line;
  return "[" + text + "]\n";
}

std::string log_text(const Terminal& terminal, const ClaimsFolder& folder) {
  Table table{{"row", "when", "what", "claim", "seal", "", "hash"}, {}, {1, 2, 3, 4, 5, 6}};
  for (const analysis::LedgerRow& row : folder.rows) {
    std::string more =
        row.supersedes.empty() ? row.reason : fmt::format("for {:.8}: {}", row.supersedes, row.reason);
    if (row.kind == "seal" && !row.reason.empty()) more = "seen before: " + row.reason;
    if (!row.content_sha256.empty()) more = fmt::format("document {:.8}", row.content_sha256);
    if (!row.verdict.empty()) more = json::parse(row.verdict).at("verdict").get<std::string>();
    table.rows.push_back({std::to_string(row.row), row.utc, row.kind, row.claim, row.seal.substr(0, 8), more,
                          row.hash.substr(0, 8)});
  }
  return to_text(terminal, table);
}

}  // namespace cli
