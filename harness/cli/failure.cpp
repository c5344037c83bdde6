// tokroof failure: what did not hold or did not finish, as a document.
#include <fmt/format.h>

#include <memory>

#include "analysis/plausibility.hpp"
#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/failure_document.hpp"
#include "harness/cli/session.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct FailureOptions {
  std::string from, log_file, folder, database;
  FailureTold told;
  bool json = false, dry_run = false;
};

/// What a run left need not be sound: then only its words can be told.
std::string sound_text(const harness::Submission& submission, const std::string& from) {
  const std::string text = harness::to_canonical_json(submission);
  try {
    const CheckedDocument checked = check_document(text, from.empty() ? "the failure" : from);
    if (!checked.implausible.empty()) note(fmt::format("it will be quarantined: {}", checked.implausible));
    return checked.text;
  } catch (const Error& error) {
    if (from.empty())
      throw Error(ExitCode::internal, fmt::format("our own document is refused: {}", error.what()));
    throw Error(error.code(), fmt::format("{} (leave out --from and tell it in words)", error.what()));
  }
}

ExitCode make(const FailureOptions& options) {
  FailureTold told = options.told;
  if (!options.log_file.empty())
    told.log = end_of_log(harness::read_user_file(options.log_file, size_t{64} << 20));
  const harness::Submission submission =
      failure_document(options.from.empty() ? ground_of_this_machine() : read_ground(options.from), told,
                       harness::read_private_names());
  const std::string text = sound_text(submission, options.from);
  std::string path = "it is not stored";
  if (!options.dry_run) path = save_submission(submission, text, options.folder, options.database).path;
  if (options.json) {
    print_result(text + "\n");
    return ExitCode::ok;
  }
  const harness::Failure& failure = *submission.failure;
  print_result(fmt::format(
      "claimed      {}\nobserved     {}\nstage        {}, exit code {}\nlog          {} characters, "
      "scrubbed: read them before you send them\n{}\n",
      failure.claimed, failure.observed, failure.stage, failure.exit_code, characters(failure.log_excerpt),
      path));
  if (!options.dry_run)
    note(fmt::format("look at all of it, then send it: tokroof submit {} --preview", path));
  return ExitCode::ok;
}

}  // namespace

void add_failure(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "failure", "makes a document of what did not hold or did not finish",
                                  "tokroof failure new --from result.json --claimed 'warm is twice as fast' "
                                  "--source https://example.org");
  command->require_subcommand(1);
  auto options = std::make_shared<FailureOptions>();
  CLI::App* sub = add_command(
      *command, "new", "makes a failure document, with all that was measured where there is something",
      "tokroof failure new --from result.json --claimed '2.03 times as fast warm' --observed '1.42 times'");
  sub->add_option("--from", options->from,
                  "a document, or what a run left that did not end ($TOKROOF_HOME/partial); without it this "
                  "machine alone");
  sub->add_option("--claimed", options->told.claimed, "what should have been")->required();
  sub->add_option("--source", options->told.source, "who says so: an address, a table");
  sub->add_option("--observed", options->told.observed, "what was; without it what the run says of itself");
  sub->add_option("--stage", options->told.stage, "where it failed, such as build, probes, decode, result");
  sub->add_option("--exit-code", options->told.exit_code, "of the command that failed")
      ->check(CLI::Range(0, 255));
  sub->add_option("--log", options->log_file,
                  "a log whose end is quoted: names, addresses and paths are taken out");
  sub->add_option("--out", options->folder, "folder for the document");
  sub->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  sub->add_flag("--dry-run", options->dry_run, "store and write nothing");
  sub->add_flag("--json", options->json, "print the document");
  sub->callback([&invocation, options] { invocation.action = [options] { return make(*options); }; });
}

}  // namespace cli
