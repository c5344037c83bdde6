// tokroof ingest: documents, from files or issues, into the store.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/ingest_keeper.hpp"
#include "harness/cli/ingest_sources.hpp"
#include "harness/cli/issue_signature.hpp"
#include "harness/issue_body.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

constexpr size_t max_issue_bytes = size_t{4} << 20;
constexpr size_t files_of_a_batch = 64;  // one commit, some ms of a disk, is shared by so many

struct IngestOptions {
  std::vector<std::string> files;
  std::string issue, database, author, key;
  bool json = false, json_lines = false;
};

/// Reads and checks one file; touches no store.
Taken check_file(const Source& source) {
  const std::string& path = source.path;
  Taken taken{{path, "refused", "", "", ExitCode::invalid_input}};
  Outcome& outcome = taken.outcome;
  try {
    harness::IssueDocument read;
    if (source.is_issue) {
      read = harness::read_issue_body(harness::read_user_file(path, max_issue_bytes), path);
    } else {
      read.text = harness::read_user_file(path, harness::max_document_bytes);
    }
    CheckedDocument checked = check_document(read.text, path);
    if (source.is_issue) outcome.signed_by = signer_of(read, checked.text, source.key, path);
    outcome.author = author_of(source);
    outcome.content_sha256 = checked.content_sha256;
    outcome.level = checked.level;
    outcome.detail = checked.implausible;
    outcome.state = checked.implausible.empty() ? "stored" : "quarantined";
    outcome.code = checked.implausible.empty() ? ExitCode::ok : ExitCode::implausible;
    taken.document = {std::move(checked.text), std::move(checked.content_sha256), std::move(checked.content),
                      outcome.author};
  } catch (const Error& error) {  // one bad file must not keep the others out; a bad store must
    if (error.code() != ExitCode::invalid_input) throw;
    outcome.detail = error.what();
  }
  return taken;
}

/// Checks files on all CPUs; the results stand in the order of the files.
std::vector<Taken> check_files(const std::vector<Source>& sources) {
  std::vector<Taken> taken(sources.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < sources.size(); i = next++) taken[i] = check_file(sources[i]);
  };
  std::vector<std::future<void>> others;
  const size_t workers = std::min<size_t>(std::max(1U, std::thread::hardware_concurrency()), sources.size());
  for (size_t i = 1; i < workers; ++i) others.push_back(std::async(std::launch::async, work));
  work();
  for (auto& other : others) other.get();
  return taken;
}

/// Of what is there already the author is whoever sent it first.
std::string told_author(const Outcome& outcome) {
  return (outcome.state == "already_there" ? ", sent first by " : ", by ") + shown(outcome.author);
}

std::string line_of(const Outcome& outcome, const Terminal& terminal) {
  const std::string mark = outcome.code == ExitCode::ok ? mark_good(terminal) : mark_bad(terminal);
  if (outcome.state == "refused") return fmt::format("{} refused: {}\n", mark, shown(outcome.detail));
  return fmt::format("{} {}: {} {:.12}, evidence {}{}{}{}\n", mark, shown(outcome.file),
                     outcome.state == "already_there" ? "R06 already there," : outcome.state,
                     outcome.content_sha256, outcome.level,
                     outcome.author.empty() ? "" : told_author(outcome),
                     outcome.signed_by.empty() ? "" : ", signed with key " + outcome.signed_by,
                     outcome.detail.empty() ? "" : ": " + shown(outcome.detail));
}

nlohmann::ordered_json json_of(const Outcome& outcome) {
  return {{"file", outcome.file},    {"state", outcome.state},   {"content_sha256", outcome.content_sha256},
          {"level", outcome.level},  {"author", outcome.author}, {"signed_by", outcome.signed_by},
          {"detail", outcome.detail}};
}

std::string text_of(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Says what became of the files, each batch once it is safe: what a line calls stored survives a crash.
class Teller {
 public:
  Teller(const IngestOptions& options, const Terminal& terminal) : options_(options), terminal_(terminal) {}

  void tell(const std::vector<Taken>& batch) {
    std::string text;
    for (const Taken& taken : batch) {
      const Outcome& outcome = taken.outcome;
      if (outcome.code == ExitCode::invalid_input || code_ == ExitCode::ok) code_ = outcome.code;
      if (options_.json) all_.push_back(json_of(outcome));
      text += options_.json_lines ? text_of(json_of(outcome), -1) : line_of(outcome, terminal_);
    }
    if (!options_.json) print_result(text);
  }
  ExitCode end() {
    if (options_.json) print_result(text_of(all_, 2));
    return code_;
  }

 private:
  const IngestOptions& options_;
  const Terminal& terminal_;
  ExitCode code_ = ExitCode::ok;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

std::vector<Source> sources_of(const IngestOptions& options) {
  std::vector<Source> sources;
  for (const std::string& file : files_of(options.files))
    sources.push_back({file, false, "", options.author});
  if (!options.issue.empty()) sources.push_back({options.issue, true, options.key, options.author});
  return sources;
}

/// The next batch is checked while the one before it is stored.
ExitCode ingest(const IngestOptions& options, const Terminal& terminal) {
  const std::vector<Source> sources = sources_of(options);
  Keeper keeper(options.database);
  Teller teller(options, terminal);
  const auto check_from = [&](size_t first) {
    const size_t last = std::min(sources.size(), first + files_of_a_batch);
    return check_files({sources.begin() + static_cast<std::ptrdiff_t>(first),
                        sources.begin() + static_cast<std::ptrdiff_t>(last)});
  };
  std::future<std::vector<Taken>> checked = std::async(std::launch::async, check_from, size_t{0});
  for (size_t first = 0; first < sources.size(); first += files_of_a_batch) {
    std::vector<Taken> batch = checked.get();
    if (first + files_of_a_batch < sources.size())
      checked = std::async(std::launch::async, check_from, first + files_of_a_batch);
    keeper.keep(batch);
    teller.tell(batch);
  }
  return teller.end();
}

}  // namespace

void add_ingest(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "ingest", "checks documents and stores those that pass",
                                  "tokroof ingest submissions/ --issue-body issue.txt");
  auto options = std::make_shared<IngestOptions>();
  command->add_option("FILE", options->files, "documents, or folders of them");
  CLI::Option* issue = command->add_option("--issue-body", options->issue, "file with the body of an issue");
  command
      ->add_option("--key", options->key,
                   "public key of minisign, or its file: take the issue only if that key signed it")
      ->needs(issue);
  CLI::Option* author = command->add_option("--author", options->author,
                                            "who sent them, whatever NAME.origin beside a file says");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  CLI::Option* json = command->add_flag("--json", options->json, "print JSON, when all is done");
  command->add_flag("--json-lines", options->json_lines, "print a JSON object per file, once it is safe")
      ->excludes(json);
  command->callback([&invocation, options, author] {
    if (author->count() > 0) options->author = harness::attested_name(options->author, "--author");
    if (options->files.empty() && options->issue.empty())
      throw Error(ExitCode::usage, "ingest: name a document, a folder or --issue-body FILE");
    invocation.action = [&invocation, options] { return ingest(*options, invocation.terminal); };
  });
}

}  // namespace cli
