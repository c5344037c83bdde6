#include "harness/cli/claim_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/claim_numbers.hpp"

namespace cli {
namespace {

using nlohmann::json;

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
      text += fmt::format(" {} {}, differs with p {};", machine.parts[i].name, interval_text(later.parts[i]),
                          later.differs_p[i] ? fmt::format("{:.3g}", *later.differs_p[i]) : "not computed");
    text += "\n";
  }
  return text;
}

std::string indented(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
  return out;
}

}  // namespace

std::string claim_text(const analysis::Claim& claim, const FiledClaim& filed, const ClaimHistory& history,
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
  text += indented(history_text(history));
  for (const std::string& sum : check.sums) text += "  " + sum + "\n";
  for (const std::string& refusal : check.refusals) text += "  refused: " + refusal + "\n";
  return text;
}

std::string verdict_text(const Terminal& terminal, const analysis::Claim& claim,
                         const analysis::ClaimVerdict& verdict, const ClaimHistory& history) {
  std::string text = fmt::format(
      "{}: {}, on {} machine{}\n{}\n\n", claim.id, word_text(terminal, verdict.verdict, verdict.unproven),
      verdict.machines.size(), verdict.machines.size() == 1 ? "" : "s", claim.hypothesis);
  for (const analysis::MachineVerdict& machine : verdict.machines)
    text += machine_text(terminal, machine) + "\n";
  for (const std::string& doubt : verdict.doubts) text += mark_warning(terminal) + " " + doubt + "\n";
  if (verdict.runs_begun > 0)
    text += fmt::format("runs begun for this seal: {}, abandoned: {}\n", verdict.runs_begun,
                        verdict.runs_abandoned);
  text += history_text(history);
  for (const analysis::LeftOut& left : verdict.left_out)
    text += fmt::format("left out {:.8}: {}\n", left.document, left.why);
  return text + "repeat: " + run_command(claim) + "\n";
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
