// tokroof ingest: documents, from files or issues, into the store.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/session.hpp"
#include "harness/issue_body.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

constexpr size_t max_issue_bytes = size_t{4} << 20;

struct IngestOptions {
  std::vector<std::string> files;
  std::string issue, database;
  bool json = false;
};

/// What became of one file.
struct Outcome {
  std::string file, state, content_sha256, detail;  ///< state: stored | already_there | quarantined | refused
  ExitCode code = ExitCode::ok;
};

/// Stores one document. What is implausible is kept beside the store, in quarantine/, so that nothing that is
/// shown or learnt from the store rests on it.
Outcome take(const std::string& text, const std::string& name, const std::string& database) {
  Outcome outcome{name, "refused", "", "", ExitCode::invalid_input};
  try {
    const CheckedDocument checked = check_document(text, name);
    outcome.content_sha256 = checked.content_sha256;
    outcome.detail = checked.implausible;
    if (!checked.implausible.empty()) {
      harness::write_file_atomically(
          fmt::format("{}/quarantine/{}.json", harness::tokroof_home(), checked.content_sha256),
          checked.text + "\n");
      outcome.state = "quarantined";
      outcome.code = ExitCode::implausible;
      return outcome;
    }
    outcome.state =
        harness::Store(store_path(database)).add(checked.text).already_there ? "already_there" : "stored";
    outcome.code = ExitCode::ok;
  } catch (const Error& error) {  // one bad file must not keep the others out; a bad store must
    if (error.code() != ExitCode::invalid_input) throw;
    outcome.detail = error.what();
  }
  return outcome;
}

/// Lists files, and of folders the .json files below them, in order of their names.
std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> below;
    for (const auto& entry : fs::recursive_directory_iterator(name)) {
      if (entry.is_regular_file() && entry.path().extension() == ".json")
        below.push_back(entry.path().string());
    }
    if (below.empty())
      throw Error(ExitCode::invalid_input, name + ": holds no .json file; name another folder");
    std::sort(below.begin(), below.end());
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

Outcome take_file(const std::string& path, const std::string& database, bool is_issue) {
  try {
    const std::string text =
        is_issue ? harness::document_of_issue(harness::read_user_file(path, max_issue_bytes), path)
                 : harness::read_user_file(path, harness::max_document_bytes);
    return take(text, path, database);
  } catch (const Error& error) {
    if (error.code() != ExitCode::invalid_input) throw;
    return {path, "refused", "", error.what(), ExitCode::invalid_input};
  }
}

ExitCode ingest(const IngestOptions& options, const Terminal& terminal) {
  std::vector<Outcome> outcomes;
  for (const std::string& file : files_of(options.files))
    outcomes.push_back(take_file(file, options.database, false));
  if (!options.issue.empty()) outcomes.push_back(take_file(options.issue, options.database, true));
  ExitCode code = ExitCode::ok;
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    if (outcome.code == ExitCode::invalid_input || code == ExitCode::ok) code = outcome.code;
    const std::string mark = outcome.code == ExitCode::ok ? mark_good(terminal) : mark_bad(terminal);
    text += outcome.state == "refused"
                ? fmt::format("{} refused: {}\n", mark, outcome.detail)
                : fmt::format("{} {}: {} {:.12}{}\n", mark, outcome.file,
                              outcome.state == "already_there" ? "R06 already there," : outcome.state,
                              outcome.content_sha256, outcome.detail.empty() ? "" : ": " + outcome.detail);
    json.push_back({{"file", outcome.file},
                    {"state", outcome.state},
                    {"content_sha256", outcome.content_sha256},
                    {"detail", outcome.detail}});
  }
  print_result(options.json
                   ? json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                   : text);
  return code;
}

}  // namespace

void add_ingest(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "ingest", "checks documents and stores those that pass",
                                  "tokroof ingest submissions/ --issue-body issue.txt");
  auto options = std::make_shared<IngestOptions>();
  command->add_option("FILE", options->files, "documents, or folders of them");
  command->add_option("--issue-body", options->issue, "file with the body of an issue");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&invocation, options] {
    if (options->files.empty() && options->issue.empty())
      throw Error(ExitCode::usage, "ingest: name a document, a folder or --issue-body FILE");
    invocation.action = [&invocation, options] { return ingest(*options, invocation.terminal); };
  });
}

}  // namespace cli
