// tokroof claim: what is claimed, sealed before it is measured, and judged once.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "harness/cli/claim_board.hpp"
#include "harness/cli/claim_judge.hpp"
#include "harness/cli/claim_template.hpp"
#include "harness/cli/claim_text.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/command.hpp"
#include "harness/store.hpp"
#include "harness/submission.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct ClaimOptions {
  std::string claims, id, file, reason, seen, nonce, database, from;
  std::vector<std::string> ids;
  bool json = false, markdown = false, record = false;
};

/// Why a claim may not be sealed now.
std::vector<std::string> refusals_of(const analysis::Claim& claim) {
  std::vector<std::string> refusals = analysis::check_claim(claim).refusals;
  if (claim.due_utc <= harness::utc_now())
    refusals.push_back(fmt::format("due_utc: due {}, which has passed", claim.due_utc));
  return refusals;
}

/// Reads a claim that is to be sealed and refuses what could not lose or would not decide, with the sums.
analysis::Claim fit_to_seal(const std::string& text, const std::string& id) {
  analysis::Claim claim = analysis::claim_from_json(text);
  if (claim.id != id) throw Error(ExitCode::invalid_input, fmt::format("its id is {}, not {}", claim.id, id));
  const std::vector<std::string> refusals = refusals_of(claim);
  if (refusals.empty()) return claim;
  const size_t more = refusals.size() - 1;
  throw Error(ExitCode::invalid_input,
              fmt::format("{}: {}{}", id, refusals.front(),
                          more == 0 ? "" : fmt::format(" (and {} more: tokroof claim check {})", more, id)));
}

ExitCode create(const ClaimOptions& options) {
  const ClaimsFolder folder = open_claims(options.claims);
  const std::string path = fmt::format("{}/{}.json", folder.path, options.id);
  if (std::filesystem::exists(path)) throw Error(ExitCode::usage, path + ": is there already");
  const std::string text = claim_template(options.id);
  analysis::claim_from_json(text);  // a name that can be no claim's is known at once
  harness::write_file_atomically(path, text);
  print_result(
      fmt::format("{}: fill in what stands in <…>, then tokroof claim check {}\n", path, options.id));
  return ExitCode::ok;
}

/// What is wrong with one claim; empty when nothing is.
std::vector<std::string> faults_of(const FiledClaim& filed) {
  try {
    const analysis::Claim claim = analysis::claim_from_json(filed.text);
    if (claim.id != filed.id) return {fmt::format("its id is {}, its file's name {}", claim.id, filed.id)};
    // What was sealed is judged as it was: kernels may have changed since.
    return filed.sealed() ? std::vector<std::string>{} : refusals_of(claim);
  } catch (const Error& error) {
    return {error.what()};
  }
}

ExitCode check(const ClaimOptions& options, const Terminal& terminal) {
  const ClaimsFolder folder = open_claims(options.claims);
  for (const std::string& id : options.ids) find_claim(folder, id);
  std::string text;
  bool sound = true;
  for (const FiledClaim& filed : folder.claims) {
    if (!options.ids.empty() &&
        std::find(options.ids.begin(), options.ids.end(), filed.id) == options.ids.end())
      continue;
    const auto faults = faults_of(filed);
    for (const std::string& fault : faults)
      text += fmt::format("{} {}: {}\n", mark_bad(terminal), filed.id, fault);
    if (faults.empty())
      text += fmt::format("{} {}: {}\n", mark_good(terminal), filed.id,
                          filed.sealed() ? "sealed, unaltered" : "may be sealed");
    sound = sound && faults.empty();
  }
  print_result(text +
               fmt::format("{} ledger: {} rows, chain whole\n", mark_good(terminal), folder.rows.size()));
  return sound ? ExitCode::ok : ExitCode::invalid_input;
}

ExitCode seal(const ClaimOptions& options) {
  ClaimsFolder folder = open_claims(options.claims);
  const FiledClaim filed = find_claim(folder, options.id);
  if (filed.sealed())
    throw Error(ExitCode::usage, fmt::format("{} was sealed {}; an amendment is tokroof claim amend",
                                             filed.id, filed.sealed_utc));
  const analysis::Claim claim = fit_to_seal(filed.text, filed.id);
  analysis::LedgerRow row;
  row.kind = "seal";
  row.claim = claim.id;
  row.seal = analysis::seal_of(filed.text);
  row.utc = harness::utc_now();
  if (!options.seen.empty()) row.reason = checked_reason(options.seen);
  append_to_ledger(folder, row);
  print_result(fmt::format("{} sealed {} as {}\ncommit {} now: the git history is its clock\n", claim.id,
                           row.utc, row.seal, folder.path));
  return ExitCode::ok;
}

ExitCode amend(const ClaimOptions& options) {
  ClaimsFolder folder = open_claims(options.claims);
  const FiledClaim old = find_claim(folder, options.id);
  if (!old.sealed()) throw Error(ExitCode::usage, old.id + " is a draft: edit it, nothing was promised yet");
  const std::string text = harness::read_user_file(options.file, harness::max_document_bytes);
  const analysis::Claim claim = fit_to_seal(text, old.id);
  analysis::LedgerRow row;
  row.kind = "amend";
  row.claim = claim.id;
  row.seal = analysis::seal_of(text);
  row.utc = harness::utc_now();
  row.supersedes = old.seal;
  row.reason = checked_reason(options.reason);
  for (const analysis::LedgerRow& earlier : folder.rows) {
    if (earlier.claim == row.claim && earlier.seal == row.seal)
      throw Error(ExitCode::usage,
                  fmt::format("{} is what was sealed {} already", options.file, earlier.utc));
  }
  amend_claim(folder, row, text);
  print_result(
      fmt::format("{} sealed {} as {}, which supersedes {}\nwhat was measured before is exploratory for it\n",
                  claim.id, row.utc, row.seal, old.seal));
  return ExitCode::ok;
}

ExitCode abandon(const ClaimOptions& options) {
  abandon_killed_run(options.claims, options.id, options.nonce, options.reason);
  print_result(fmt::format("the run is abandoned; verdicts of {} tell how many are\n", options.id));
  return ExitCode::ok;
}

ExitCode list(const ClaimOptions& options, const Terminal& terminal) {
  const ClaimsFolder folder = open_claims(options.claims);
  const std::string now = harness::utc_now();
  print_result(options.json       ? list_json(folder, now)
               : options.markdown ? list_markdown(folder, now)
                                  : list_text(terminal, folder, now));
  return ExitCode::ok;
}

ExitCode show(const ClaimOptions& options) {
  const ClaimsFolder folder = open_claims(options.claims);
  const FiledClaim& filed = find_claim(folder, options.id);
  const analysis::Claim claim = analysis::claim_from_json(filed.text);
  print_result(options.json
                   ? harness::canonical_json(filed.text) + "\n"
                   : claim_text(claim, filed, history_of(folder, filed), analysis::check_claim(claim)));
  return ExitCode::ok;
}

ExitCode log(const ClaimOptions& options, const Terminal& terminal) {
  const ClaimsFolder folder = open_claims(options.claims);
  print_result(options.json ? log_json(folder) : log_text(terminal, folder));
  return ExitCode::ok;
}

ExitCode merge(const ClaimOptions& options) {
  constexpr size_t most_ledger_bytes = size_t{64} << 20;
  ClaimsFolder folder = open_claims(options.claims);
  const analysis::MergedLedger merged =
      merge_ledger(folder, options.file, harness::read_user_file(options.file, most_ledger_bytes));
  std::string text = merged.rows == 0 ? "nothing to take: this ledger tells of all its runs\n"
                                      : fmt::format(
                                            "{} rows taken: now judge with the documents of their runs "
                                            "(tokroof claim verdict ID --from FOLDER)\n",
                                            merged.rows);
  for (const std::string& left : merged.left_out) text += "left out: " + left + "\n";
  print_result(text);
  return ExitCode::ok;
}

ExitCode judge(const ClaimOptions& options, const Terminal& terminal) {
  return judge_claim(
      {options.claims, options.id, options.database, options.from, options.json, options.record}, terminal);
}

using Action = std::function<ExitCode(const ClaimOptions&, const Terminal&)>;

CLI::App* add(CLI::App& parent, Invocation& invocation, const std::shared_ptr<ClaimOptions>& options,
              const std::string& name, const std::string& summary, const std::string& example,
              const Action& action) {
  CLI::App* sub = add_command(parent, name, summary, example);
  sub->add_option("--claims", options->claims, "folder of claims instead of analysis/claims");
  sub->callback([&invocation, options, action] {
    invocation.action = [&invocation, options, action] { return action(*options, invocation.terminal); };
  });
  return sub;
}

void add_readers(CLI::App& command, Invocation& invocation, const std::shared_ptr<ClaimOptions>& options) {
  CLI::App* list_command =
      add(command, invocation, options, "list", "lists claims: draft, sealed, overdue or judged",
          "tokroof claim list --json", list);
  CLI::Option* json = list_command->add_flag("--json", options->json, "print JSON, each with its seal");
  list_command->add_flag("--markdown", options->markdown, "print the board of verdicts for the README")
      ->excludes(json);
  CLI::App* show_command = add(
      command, invocation, options, "show", "says what is claimed, what would refute it, and what is planned",
      "tokroof claim show residency_pays", [](const auto& o, const auto&) { return show(o); });
  show_command->add_option("ID", options->id, "the claim")->required();
  show_command->add_flag("--json", options->json, "print the canonical bytes that are sealed");
  CLI::App* log_command =
      add(command, invocation, options, "log", "prints the ledger: what was sealed, amended, judged",
          "tokroof claim log", log);
  log_command->add_flag("--json", options->json, "print the ledger's rows as one array");
}

void add_writers(CLI::App& command, Invocation& invocation, const std::shared_ptr<ClaimOptions>& options) {
  const auto plain = [](ExitCode (*action)(const ClaimOptions&)) {
    return [action](const ClaimOptions& o, const Terminal&) { return action(o); };
  };
  add(command, invocation, options, "new", "writes a claim to fill in", "tokroof claim new my_claim",
      plain(create))
      ->add_option("ID", options->id, "its name: lower case letters, digits and _")
      ->required();
  add(command, invocation, options, "check",
      "tells whether claims could lose and would be decided, and whether the ledger is whole (3 when it is "
      "not)",
      "tokroof claim check", check)
      ->add_option("ID", options->ids, "these claims instead of all");
  CLI::App* seal_command =
      add(command, invocation, options, "seal", "fixes a claim in the ledger; data taken before do not count",
          "tokroof claim seal my_claim", plain(seal));
  seal_command->add_option("ID", options->id, "the claim")->required();
  seal_command->add_option("--seen", options->seen, "what of such data was seen before, for the ledger");
  CLI::App* amend_command =
      add(command, invocation, options, "amend", "seals a new text of a claim, which supersedes the old one",
          "tokroof claim amend my_claim --file new.json --reason 'more launches'", plain(amend));
  amend_command->add_option("ID", options->id, "the claim")->required();
  amend_command->add_option("--file", options->file, "the new text")->required();
  amend_command->add_option("--reason", options->reason, "why, for the ledger")->required();
  CLI::App* merge_command =
      add(command, invocation, options, "merge",
          "takes the runs that another clone's ledger tells of into this one: seals and verdicts stay",
          "tokroof claim merge ../clone/analysis/claims/ledger.jsonl", plain(merge));
  merge_command->add_option("LEDGER", options->file, "the other clone's ledger.jsonl")->required();
  CLI::App* abandon_command = add(
      command, invocation, options, "abandon", "tells the ledger of a run that was killed before it finished",
      "tokroof claim abandon my_claim NONCE --reason 'power failure'", plain(abandon));
  abandon_command->add_option("ID", options->id, "the claim")->required();
  abandon_command->add_option("NONCE", options->nonce, "of the run, as in claim log --json")->required();
  abandon_command->add_option("--reason", options->reason, "why, for the ledger")->required();
}

}  // namespace

void add_claim(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "claim", "registers, seals and judges claims that can lose",
                                  "tokroof claim verdict residency_pays");
  command->require_subcommand(1);
  auto options = std::make_shared<ClaimOptions>();
  add_writers(*command, invocation, options);
  add_readers(*command, invocation, options);
  CLI::App* verdict = add(
      *command, invocation, options, "verdict",
      "judges a sealed claim by the first run of each machine: 0 supported, 10 falsified, 11 inconclusive or "
      "unproven, 12 not measured yet, 6 not applicable, 3 tampered",
      "tokroof claim verdict residency_pays", judge);
  verdict->add_option("ID", options->id, "the claim")->required();
  CLI::Option* database =
      verdict->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  verdict->add_option("--from", options->from, "judge the documents below this folder instead of a store")
      ->excludes(database);
  verdict->add_flag("--record", options->record, "append the verdict to the ledger");
  verdict->add_flag("--json", options->json, "print the verdict with all numbers behind it");
}

}  // namespace cli
