// tokroof submit: a document as an issue's body; and, when asked, the issue.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/send.hpp"
#include "harness/cli/sign.hpp"
#include "harness/issue_body.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct SubmitOptions {
  std::string file, repository, key;
  bool preview = false, compact = false, send = false;
};

/// What is to be sent, and where a person finds it.
std::string told(const Issue& issue, size_t body_bytes) {
  return fmt::format("{}\nPaste the {} characters of {} there; nothing was sent.\n", issue.address,
                     body_bytes, issue.body_path);
}

/// Signs the document's file. Only canonical bytes are the same everywhere: in the store, in an issue, in
/// submissions/.
harness::IssueSignature sign(const SubmitOptions& options, const CheckedDocument& checked) {
  const std::string bytes = harness::read_user_file(options.file, harness::max_document_bytes);
  if (bytes != checked.text && bytes != checked.text + "\n")
    throw Error(
        ExitCode::invalid_input,
        fmt::format("{}: not as tokroof writes it (one line, RFC 8785), so nobody else could check its "
                    "signature; sign what 'tokroof store show {:.12} --json' prints after ingest",
                    options.file, checked.content_sha256));
  harness::IssueSignature made = sign_file(options.file, options.key, "content " + checked.content_sha256);
  note(fmt::format("signed: {}.minisig", options.file));
  return made;
}

ExitCode submit(const SubmitOptions& options) {
  if (!options.repository.empty()) check_repository(options.repository);
  const CheckedDocument checked =
      check_document(harness::read_user_file(options.file, harness::max_document_bytes), options.file);
  const bool compact = options.compact || checked.text.size() > harness::max_plain_body_characters;
  if (!checked.implausible.empty()) note(fmt::format("it will be quarantined: {}", checked.implausible));
  std::optional<harness::IssueSignature> signature;
  if (!options.key.empty()) signature = sign(options, checked);
  const std::string body = harness::to_issue_body(checked.text, compact, signature);
  if (options.preview) {
    print_result(body);
    return ExitCode::ok;
  }
  if (options.repository.empty() && !options.key.empty()) return ExitCode::ok;
  if (options.repository.empty())
    throw Error(ExitCode::usage,
                "submit: say where to, --repository OWNER/NAME, or print the body with --preview");
  Issue issue;
  issue.repository = options.repository;
  issue.title = harness::issue_title(checked.kind, checked.content_sha256);
  issue.labels = harness::issue_labels(checked.kind);
  issue.body_path = fmt::format("{}/outbox/{:.12}.md", harness::tokroof_home(), checked.content_sha256);
  issue.address = harness::new_issue_address(options.repository, checked.kind, checked.content_sha256);
  harness::write_file_atomically(issue.body_path, body);
  print_result(options.send ? send_issue(issue) : told(issue, body.size()));
  return ExitCode::ok;
}

}  // namespace

void add_submit(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "submit", "makes an issue's body of a document; sends it only when told",
                  "tokroof submit result.json --preview");
  auto options = std::make_shared<SubmitOptions>();
  command->add_option("FILE", options->file, "a document")->required();
  CLI::Option* preview =
      command->add_flag("--preview", options->preview, "print exactly the bytes of the body; send nothing");
  command->add_option(
      "--sign", options->key,
      "secret key of minisign: write FILE.minisig, which tokroof verify and minisign check; it goes "
      "into the body, too");
  command->add_flag("--compact", options->compact,
                    "zstd and base64; so is any document over 60,000 characters");
  CLI::Option* repository = command->add_option("--repository", options->repository,
                                                "OWNER/NAME at GitHub: where the issue is to be opened");
  command->add_flag("--send", options->send, "open the issue now, as the user that gh is logged in as")
      ->needs(repository)
      ->excludes(preview);
  command->callback([&invocation, options] { invocation.action = [options] { return submit(*options); }; });
}

}  // namespace cli
