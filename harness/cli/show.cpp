// tokroof show: a document as its run printed it.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/document_text.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/parsed_document.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct ShowOptions {
  std::string document, database;
};

/// Returns a file's text where there is one of that name (or - for stdin), else a stored document's.
std::string text_of(const ShowOptions& options) {
  std::error_code unknown;
  const bool is_name = options.document.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_name || std::filesystem::exists(options.document, unknown))
    return harness::read_user_file(options.document, harness::max_document_bytes);
  harness::Store store = harness::Store::open_existing(store_path(options.database));
  if (!options.document.empty()) return store.text(options.document);
  const auto all = store.list();
  if (all.empty()) throw Error(ExitCode::usage, "the store is empty: run tokroof run, or name a FILE");
  return store.text(std::to_string(all.back().sequence));
}

std::string heading_text(const CheckedDocument& checked) {
  const harness::Submission& submission = checked.content.submission;
  std::string text = checked.kind + " of " + submission.created_utc;
  if (!submission.protocol.empty()) text += ", protocol " + submission.protocol;
  if (submission.claim)
    text += fmt::format(" {} sealed {}", submission.claim->id, submission.claim->sealed_utc);
  text += ", evidence level " + checked.level;
  if (!submission.suite.version.empty()) {
    text += fmt::format("\ntokroof {}, commit {}, {}", submission.suite.version,
                        submission.suite.git_commit.substr(0, 8), submission.suite.compiler);
  }
  return text + "\ncontent SHA-256: " + checked.content_sha256 + "\n\n";
}

ExitCode show(const ShowOptions& options, const Terminal& terminal) {
  CheckedDocument checked =
      check_document(text_of(options), options.document.empty() ? "newest" : one_line(options.document));
  checked.content = harness::content_of(without_controls(nlohmann::json::parse(checked.text)));
  std::string text = heading_text(checked) + document_text(terminal, checked.content);
  if (!checked.implausible.empty())
    text += fmt::format("\n{} it would be quarantined: {}\n", mark_warning(terminal),
                        one_line(checked.implausible));
  print_result(text);
  return ExitCode::ok;
}

}  // namespace

void add_show(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "show", "prints what a submission says, as its run printed it",
                                  "tokroof show submission.json");
  auto options = std::make_shared<ShowOptions>();
  command->add_option(
      "DOCUMENT", options->document,
      "a file, or of the store its number or the first digits of its content hash; the newest one "
      "unless told");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return show(*options, invocation.terminal); };
  });
}

}  // namespace cli
