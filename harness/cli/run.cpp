// tokroof run: probe, forecast, decode, compare, store.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/cli/claim_protocol.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/failure_offer.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/learnt_text.hpp"
#include "harness/cli/partial.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/rounds.hpp"
#include "harness/cli/session.hpp"
#include "harness/digest.hpp"
#include "harness/store.hpp"
#include "models/shape.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct RunOptions {
  bool quick = false, full = false, json = false, resumed = false;
  std::string isa, folder, database, resume_file, claim, claims;
  std::vector<std::string> models;
  int launches = 0;  ///< 0: the protocol's own
};

Protocol protocol_of(const RunOptions& options) {
  Protocol protocol = options.full ? full_protocol() : options.quick ? quick_protocol() : default_protocol();
  if (!options.models.empty()) protocol.models = options.models;
  if (options.launches > 0) protocol.launches = options.launches;
  return protocol;
}

/// A run on its way to a document.
struct Run {
  Session session;
  Protocol protocol;
  harness::Submission submission;
  std::string path;       ///< of the partial file
  std::string claims;     ///< folder of the claim that it is made for
  size_t kept = 0;        ///< launches in it
  bool complete = false;  ///< nothing is left to measure

  /// Only a full run is long enough to be gone on with.
  [[nodiscard]] bool resumable() const { return protocol.name == "full"; }
};

void save_partial(Run& run, bool interrupted, const std::string& reason, ExitCode code = ExitCode::ok) {
  harness::PartialRun partial;
  partial.interrupted = interrupted;
  partial.reason = reason;
  partial.exit_code = static_cast<int>(code);
  if (!run.complete) take_conditions(run.session, run.submission);
  if (run.resumable()) {
    partial.resume = resume_state(run.session);
    partial.resume->models = run.protocol.models;
    partial.resume->launches = run.protocol.launches;
    partial.resume->complete = run.complete;
  }
  std::swap(partial.measured, run.submission);  // it may be large: lent, not copied
  const std::string text = harness::partial_to_json(partial);
  std::swap(partial.measured, run.submission);
  harness::write_file_atomically(run.path, text + "\n");
  run.kept = run.submission.launches.size();
}

/// Tells the ledger that a claim's run ended before it showed anything: nobody is to look at half of what
/// decides. A ledger that cannot be told leaves the claim unproven, so the way to tell it later is shown.
void abandon_claim_run(const Run& run, const std::string& reason) {
  try {
    abandon_run(run.claims, run.submission, reason);
  } catch (const std::exception& error) {
    note(
        fmt::format("error: the ledger could not be told that this run was abandoned ({}): until it is, the "
                    "claim stays unproven; tokroof claim abandon {} {} --reason '…'{}",
                    error.what(), run.submission.claim->id, run.submission.nonce,
                    run.claims.empty() ? "" : " --claims '" + run.claims + "'"));
  }
}

/// Keeps what an interruption or an error left; where that cannot be written, the file is as the last launch
/// left it.
void save_what_is_left(Run& run, bool interrupted, const std::string& reason, ExitCode code) {
  if (run.submission.claim) return abandon_claim_run(run, reason);
  try {
    save_partial(run, interrupted, reason, code);
  } catch (const harness::Error&) {
    if (!run.resumable()) throw;
  }
}

/// Opens the store and tries the folder before the long work, so that what cannot be written is known at
/// once.
void check_places(const RunOptions& options) {
  { const harness::Store opens(store_path(options.database)); }
  if (options.folder.empty()) return;
  const std::string trial = options.folder + "/.tokroof-trial";
  harness::write_file_atomically(trial, "");
  std::remove(trial.c_str());
}

Run begin_run(const RunOptions& options) {
  Run run;
  run.session = open_session(options.isa);
  check_places(options);
  if (options.claim.empty()) {
    run.protocol = protocol_of(options);
    run.submission = begin_submission(run.session, "reproduction", run.protocol.name);
  } else {
    run.claims = options.claims;
    std::tie(run.submission, run.protocol) = begin_claim_run(run.session, options.claims, options.claim);
  }
  run.path = partial_path(run.submission);
  try {
    run.session.learnt = learn_from_store(options.database, run.submission.machine.machine_key);
  } catch (const harness::Error& error) {
    if (run.submission.claim) abandon_claim_run(run, error.what());
    throw;
  }
  return run;
}

/// Takes up the run of a partial file where it stopped. Throws Error(unavailable) when this is not the place
/// where it was measured.
Run take_up_run(RunOptions options, const std::string& path) {
  harness::PartialRun partial = load_partial(path);
  const harness::ResumeState& state = *partial.resume;
  options.models = state.models;
  options.launches = state.launches;
  if (partial.measured.suite.isa_chosen_by == "forced") options.isa = partial.measured.suite.isa;
  Run run = begin_run(options);
  const RunPlace here = place_of(run.session, run.submission);
  std::string moved = moved_since(partial, here);
  if (moved.empty() && !partial.measured.plans.empty() &&
      partial.measured.plans != make_plans(run.session, run.protocol, partial.measured))
    moved = "its plans are not those that would be made now";
  if (!moved.empty())
    throw harness::Error(ExitCode::unavailable,
                         fmt::format("{}: cannot go on: {}; start a new run", path, moved));
  run.submission = std::move(partial.measured);
  run.path = path;
  run.kept = run.submission.launches.size();
  // The roofs after decode are the last launch: with them nothing is missing but the end.
  const auto& launches = run.submission.launches;
  run.complete = state.complete || std::any_of(launches.begin(), launches.end(), [](const auto& launch) {
                   return launch.purpose == "roofs_after";
                 });
  const int64_t paused_ns = rejoin(run.session, state);
  if (!run.complete && !run.submission.launches.empty())
    add_interruption(run.session, run.submission, "resumed", paused_ns);
  note(fmt::format("goes on after {} launches and a pause of {}", run.submission.launches.size(),
                   format_seconds(static_cast<double>(paused_ns) * 1e-9)));
  return run;
}

/// What is left of a run that did not end, and what to do about it.
std::string what_is_left(const Run& run, const RunOptions& options) {
  if (run.submission.claim) return "a claim's run counts whole or not at all: nothing of it is kept";
  if (!run.resumable()) return fmt::format("what was measured is in {}, which is no result", run.path);
  std::string command = "tokroof run --full --resume " + shell_word(run.path);
  if (!options.folder.empty()) command += " --out " + shell_word(options.folder);
  if (!options.database.empty()) command += " --db " + shell_word(options.database);
  return fmt::format("{} launches are kept; go on with: {}", run.kept, command);
}

void note_what_it_takes(const Run& run, double estimate_s, double left_s) {
  const Protocol& protocol = run.protocol;
  note(fmt::format("{} protocol on PU {}, kernels {}: about {}{}; nothing else should run", protocol.name,
                   run.session.pu, run.session.kernels->isa, format_seconds(left_s),
                   left_s < estimate_s ? fmt::format(" of {} left", format_seconds(estimate_s)) : ""));
  if (protocol.forecasts) note(learnt_text(run.session.learnt, protocol.models));
  if (!run.resumable()) return;
  const size_t plans = make_plans(run.session, protocol, run.submission).size();
  note(fmt::format("{} models in {} plans, {} launches; up to {} of memory; kept after each launch in {}",
                   protocol.models.size(), plans, plans * static_cast<size_t>(protocol.launches),
                   format_bytes(static_cast<double>(largest_decode_bytes(protocol))), run.path));
}

/// Measures what is missing, keeping each launch where the run can be gone on with.
void measure(Run& run, const Terminal& terminal) {
  if (run.complete) return;
  const double estimate_s = estimate_seconds(run.session, run.protocol);
  note_what_it_takes(run, estimate_s, estimate_s - done_seconds(run.session, run.protocol, run.submission));
  const auto keep = [&run] {
    if (run.resumable()) save_partial(run, false, "not finished yet");
  };
  run.session.on_stop = [&run](const std::string& purpose, int64_t paused_ns) {
    add_interruption(run.session, run.submission, "stopped", paused_ns);
    if (purpose == "decode") take_roofs(run.session, run.protocol, "roofs_resumed", run.submission, {});
  };
  keep();  // a folder that cannot be written is known at once
  Progress progress(terminal, estimate_s);
  take_protocol(
      run.session, run.protocol, run.submission,
      [&progress](const std::string& stage, double fraction) { progress.show(stage, fraction); }, keep);
  take_conditions(run.session, run.submission);
  run.complete = true;
  keep();
  // What is written is rounded (docs/submission.md): derived from that, the document is the same whether it
  // is made now or by a later --resume.
  if (run.resumable()) run.submission = load_partial(run.path).measured;
}

/// Saves a claim's run, which its ledger tells of already. Throws Error as save_submission, which says what
/// to do so that it counts.
Saved save_claim_run(const Run& run, const std::string& text, const RunOptions& options) {
  try {
    return save_submission(run.submission, text, options.folder, options.database);
  } catch (const harness::Error& error) {
    std::string where = "its document could be kept nowhere, which leaves the claim unproven";
    try {
      harness::Store(store_path(options.database)).add(text);
      where = "its document is in the store";
    } catch (const harness::Error&) {
      const std::string folder =
          options.folder.empty() ? harness::tokroof_home() + "/submissions" : options.folder;
      if (std::filesystem::exists(saved_path(run.submission, text, options.folder)))
        where = fmt::format("judge it with tokroof claim verdict {} --from {}", run.submission.claim->id,
                            shell_word(folder));
    }
    throw harness::Error(error.code(),
                         fmt::format("{} (the run finished and counts: {})", error.what(), where));
  }
}

/// Says how others are told, where that makes sense.
void offer_failure(ExitCode code, const std::string& path, const std::string& protocol,
                   const std::string& reason) {
  const std::string line = failure_offer(code, path, protocol, reason);
  if (!line.empty()) note(line);
}

ExitCode finish(Run& run, const RunOptions& options, const Terminal& terminal) {
  std::string text;
  Saved saved;
  try {
    measure(run, terminal);
    text = seal_submission(run.submission);
    // From this row on its figures may be seen, and it counts: what follows can no longer abandon it.
    if (run.submission.claim)
      finish_run(run.claims, run.submission, harness::sha256_hex(text));
    else
      saved = save_submission(run.submission, text, options.folder, options.database);
  } catch (const Interrupted&) {
    save_what_is_left(run, true, "interrupted by a signal", ExitCode::interrupted);
    throw Interrupted("interrupted; " + what_is_left(run, options));
  } catch (const harness::Error& error) {
    save_what_is_left(run, false, error.what(), error.code());
    offer_failure(error.code(), run.submission.claim ? "" : run.path, run.protocol.name, error.what());
    throw harness::Error(error.code(), fmt::format("{} ({})", error.what(), what_is_left(run, options)));
  } catch (const std::exception& error) {  // out of memory, a limit of the system: main says which
    save_what_is_left(run, false, error.what(), ExitCode::unavailable);
    offer_failure(ExitCode::unavailable, run.submission.claim ? "" : run.path, run.protocol.name,
                  error.what());
    note(what_is_left(run, options));
    throw;
  }
  if (run.submission.claim) saved = save_claim_run(run, text, options);
  if (run.resumable()) std::remove(run.path.c_str());
  print_result(options.json           ? text + "\n"
               : run.submission.claim ? claim_result_text(terminal, run.submission, saved)
                                      : result_text(terminal, run.submission, saved));
  if (options.json) note("stored as " + saved.path);
  const ExitCode code = outcome(run.submission);
  if (code == ExitCode::wrong_result)
    note("error: wrong logits or tokens: these kernels have no speed (the failed launches say where)");
  offer_failure(code, saved.path, run.protocol.name, "");
  return code;
}

ExitCode run(const RunOptions& options, const Terminal& terminal) {
  for (const std::string& model : options.models)
    models::find_shape(model);  // a misspelt name is known at once
  if (options.resumed && !options.full)
    throw harness::Error(ExitCode::usage, "only a full run can be gone on with: tokroof run --full --resume");
  note_interrupts();
  note_stops();
  if (!options.resumed) {
    Run run = begin_run(options);
    std::optional<RunLock> lock;
    if (run.resumable()) {
      harness::write_file_atomically(run.path, "");  // and its folder
      lock.emplace(run.path);
    }
    return finish(run, options, terminal);
  }
  const std::string path = options.resume_file.empty() ? newest_partial("full") : options.resume_file;
  load_partial(path);  // what is no run needs no lock
  const RunLock lock(path);
  Run run = take_up_run(options, path);
  return finish(run, options, terminal);
}

/// A claim says what is taken: nothing else may.
void add_claim_options(CLI::App& command, RunOptions& options, const std::vector<CLI::Option*>& others) {
  CLI::Option* claim =
      command.add_option("--claim", options.claim,
                         "take exactly the data that this sealed claim registers (see tokroof claim list)");
  for (CLI::Option* other : others) claim->excludes(other);
  command.add_option("--claims", options.claims, "folder of claims instead of analysis/claims")->needs(claim);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "run", "probes, forecasts, decodes warm and evicted, compares, and stores one submission",
      "tokroof run --quick --json > result.json");
  auto options = std::make_shared<RunOptions>();
  CLI::Option* quick = command->add_flag("--quick", options->quick,
                                         "5 launches and 2 probe sizes per octave instead of 10 and 4");
  CLI::Option* full = command->add_flag(
      "--full", options->full,
      "every model of the catalogue, every mode, experts routed uniformly and stickily; up to an hour");
  full->excludes(quick);
  CLI::Option* model =
      command
          ->add_option("--model", options->models,
                       "decode this model instead of the protocol's (see tokroof models); may be repeated")
          ->allow_extra_args(false);
  CLI::Option* launches = command
                              ->add_option("--launches", options->launches,
                                           "of each plan, instead of the protocol's; each plan records it")
                              ->check(CLI::Range(1, 1000));
  CLI::Option* isa = command->add_option("--isa", options->isa,
                                         "force one kernel table (see tokroof info); also $TOKROOF_ISA");
  CLI::Option* resume =
      command
          ->add_option("--resume", options->resume_file,
                       "go on with an unfinished full run: this file, or the newest in $TOKROOF_HOME/partial")
          ->expected(0, 1)
          ->excludes(quick)
          ->excludes(model)
          ->excludes(launches)
          ->excludes(isa);
  add_claim_options(*command, *options, {quick, full, model, launches, isa, resume});
  command->add_option("--out", options->folder,
                      "folder for the document instead of $TOKROOF_HOME/submissions/YYYYMMDD");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print the document instead of the table");
  command->callback([&invocation, options, resume] {
    options->resumed = resume->count() > 0;
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
