// tokroof run: probe, forecast, decode, compare, store.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/session.hpp"
#include "harness/store.hpp"
#include "models/shape.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct RunOptions {
  bool quick = false, json = false;
  std::string isa, folder, database;
  std::vector<std::string> models;
};

/// Leaves what an unfinished run measured in a file that can never be taken for a result: it names no
/// submission schema.
std::string save_partial(const Session& session, harness::Submission& submission, bool interrupted,
                         const std::string& reason) {
  std::string path = fmt::format("{}/partial/{}-{:.8}.json", harness::tokroof_home(), submission.created_utc,
                                 submission.nonce);
  submission.conditions =
      harness::read_conditions(session.topology, session.pu, session.clock, session.totals_at_start);
  harness::write_file_atomically(path, harness::partial_to_json({interrupted, reason, submission}) + "\n");
  return path;
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

ExitCode run(const RunOptions& options, const Terminal& terminal) {
  for (const std::string& model : options.models)
    models::find_shape(model);  // a misspelt name is known at once
  note_interrupts();
  const Session session = open_session(options.isa);
  check_places(options);
  Protocol protocol = options.quick ? quick_protocol() : default_protocol();
  if (!options.models.empty()) protocol.models = options.models;
  harness::Submission submission = begin_submission(session, "reproduction", protocol.name);
  const double estimate_s = estimate_seconds(session, protocol);
  note(fmt::format("{} protocol on PU {}, kernels {}: about {}; nothing else should run", protocol.name,
                   session.pu, session.kernels->isa, format_seconds(estimate_s)));
  std::string text;
  Saved saved;
  try {
    {
      Progress progress(terminal, estimate_s);
      take_protocol(session, protocol, submission, [&progress](const std::string& stage, double fraction) {
        progress.show(stage, fraction);
      });
    }
    text = finish_submission(session, submission);
    saved = save_submission(submission, text, options.folder, options.database);
  } catch (const Interrupted&) {
    throw Interrupted("interrupted; what was measured is in " +
                      save_partial(session, submission, true, "interrupted by a signal") +
                      ", which is no result");
  } catch (const harness::Error& error) {
    throw harness::Error(error.code(), fmt::format("{} (what was measured before is in {})", error.what(),
                                                   save_partial(session, submission, false, error.what())));
  }
  print_result(options.json ? text + "\n" : result_text(terminal, submission, saved));
  if (options.json) note("stored as " + saved.path);
  const ExitCode code = outcome(submission);
  if (code == ExitCode::wrong_result)
    note("error: the logits are wrong (golden mismatch): these kernels have no speed");
  return code;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "run", "probes, forecasts, decodes warm and evicted, compares, and stores one submission",
      "tokroof run --quick --json > result.json");
  auto options = std::make_shared<RunOptions>();
  command->add_flag("--quick", options->quick, "5 launches and 2 probe sizes per octave instead of 10 and 4");
  command
      ->add_option("--model", options->models,
                   "decode this model instead of coreflow_1_9m (see tokroof models); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--isa", options->isa, "force one kernel table (see tokroof info); also $TOKROOF_ISA");
  command->add_option("--out", options->folder,
                      "folder for the document instead of $TOKROOF_HOME/submissions/YYYYMMDD");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print the document instead of the table");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
