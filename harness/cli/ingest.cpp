// tokroof ingest: documents, from files or issues, into the store.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "analysis/plausibility_samples.hpp"
#include "harness/cli/checked_document.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/issue_signature.hpp"
#include "harness/cli/session.hpp"
#include "harness/digest.hpp"
#include "harness/issue_body.hpp"
#include "harness/scrub.hpp"
#include "harness/store.hpp"
#include "harness/store_fingerprints.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

constexpr size_t max_origin_bytes = 4096;
constexpr size_t max_issue_bytes = size_t{4} << 20;
constexpr size_t files_of_a_batch = 64;  // one commit, some ms of a disk, is shared by so many

struct IngestOptions {
  std::vector<std::string> files;
  std::string issue, database, author, key;
  bool json = false, json_lines = false;
};

struct Source {
  std::string path;
  bool is_issue = false;
  std::string key = {};     ///< of an issue: the public key that must have signed it, "" for any or none
  std::string author = {};  ///< "": the file NAME.origin beside NAME.json may tell
};

/// What became of one file.
struct Outcome {
  std::string file, state, content_sha256, detail;  ///< state: stored | already_there | quarantined | refused
  ExitCode code = ExitCode::ok;
  std::string level = {};  ///< evidence level, A to D; "" of what was refused
  std::string author = {};
  std::string signed_by = {};  ///< key number and SHA-256 of the key, "" when it is not signed
};

/// One file on its way: what has been found so far, and what is to be stored of it.
struct Taken {
  Outcome outcome;
  std::optional<harness::NewDocument> document = {};
};

/// A name may hold a newline: whoever chose it must not write a line of ours with it.
std::string shown(const std::string& text) {
  return one_line(harness::printable(text));
}

/// Returns the author of a document: what the command line says, else the file NAME.origin that the issue
/// channel puts beside NAME.json. Throws Error(invalid_input) for one that does not tell.
std::string author_of(const Source& source) {
  if (!source.author.empty() || source.is_issue) return source.author;
  const std::string path = fs::path(source.path).replace_extension(".origin").string();
  if (path == source.path) return "";
  const auto text = harness::read_user_file_if_there(path, max_origin_bytes);
  if (!text) return "";
  const auto origin = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const bool told = origin.is_object() && origin.contains("author") && origin["author"].is_string();
  const bool numbered = told && origin.contains("id");
  if (!told || (numbered && !origin["id"].is_number_unsigned()))
    throw Error(ExitCode::invalid_input,
                shown(path) + ": does not tell the \"author\" (and \"id\"); put it right or remove it");
  try {
    const auto login = origin["author"].get<std::string>();
    return harness::attested_name(
        numbered ? fmt::format("{}#{}", login, origin["id"].get<uint64_t>()) : login, shown(path));
  } catch (const Error& error) {
    throw Error(ExitCode::invalid_input, error.what());
  }
}

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

/// Stores what passed in one transaction. What is implausible is kept beside the store, in quarantine/, so
/// that nothing that is shown or learnt from the store rests on it.
class Keeper {
 public:
  explicit Keeper(std::string database) : path_(std::move(database)) {}

  void keep(std::vector<Taken>& batch) {
    for (Taken& taken : batch) {
      if (taken.outcome.state == "stored") look_for_copies(taken);
      if (taken.outcome.state == "stored") wait(taken);
      if (taken.outcome.state != "quarantined") continue;
      harness::write_file_atomically(
          fmt::format("{}/quarantine/{}.json", harness::tokroof_home(), taken.outcome.content_sha256),
          taken.document->text + "\n");
    }
    store_waiting();
  }

 private:
  /// Rule P09 on what the store holds. What waits is stored first when it may be the original.
  void look_for_copies(Taken& taken) {
    const harness::Submission& submission = taken.document->content.submission;
    const std::vector<int64_t> prints = harness::fingerprints(submission);
    if (std::any_of(prints.begin(), prints.end(), [&](int64_t each) { return prints_.count(each) > 0; }))
      store_waiting();
    for (const std::string& text : store().alike(submission)) {
      const std::string pointer = analysis::copied_series(submission, harness::stored_submission(text));
      if (pointer.empty()) continue;
      taken.outcome.state = "quarantined";
      taken.outcome.code = ExitCode::implausible;
      taken.outcome.detail =
          fmt::format("P09 {}: its samples are those of the stored document {:.16} times one factor", pointer,
                      harness::sha256_hex(text));
      return;
    }
    prints_.insert(prints.begin(), prints.end());
  }

  void wait(Taken& taken) {
    waiting_.push_back(&taken);
    documents_.push_back(std::move(*taken.document));
  }

  void store_waiting() {
    if (documents_.empty()) return;
    const std::vector<harness::Stored> stored = store().add_all(documents_);
    for (size_t i = 0; i < stored.size(); ++i) {
      if (stored[i].already_there) waiting_[i]->outcome.state = "already_there";
      waiting_[i]->outcome.author = stored[i].author;
    }
    documents_.clear();
    waiting_.clear();
    prints_.clear();
  }

  harness::Store& store() {
    if (!store_) store_.emplace(store_path(path_));
    return *store_;
  }

  std::string path_;
  std::vector<harness::NewDocument> documents_;  ///< of the batch, not yet in the store
  std::vector<Taken*> waiting_;                  ///< where they come from
  std::set<int64_t> prints_;                     ///< their fingerprints
  std::optional<harness::Store> store_;
};

/// Adds the .json files of a folder and the folders in it. What cannot be listed stands among the files: it
/// is refused there by name, and keeps nothing else out.
void list_folder(const std::string& folder, std::vector<std::string>& files,
                 std::vector<std::string>& folders) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code unknown;
    const std::string path = entries->path().string();
    if (!entries->is_symlink(unknown) && entries->is_directory(unknown)) {
      folders.push_back(path);
    } else if (entries->path().extension() == ".json" && (entries->is_regular_file(unknown) || unknown)) {
      files.push_back(path);
    }
  }
  if (error) files.push_back(folder);
}

/// Lists files, and of folders the .json files below them, in order of their names.
std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code unknown;  // reading it will say why
    if (!fs::is_directory(name, unknown)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> below, folders{name};
    while (!folders.empty()) {
      const std::string folder = std::move(folders.back());
      folders.pop_back();
      list_folder(folder, below, folders);
    }
    if (below.empty())
      throw Error(ExitCode::invalid_input, shown(name) + ": holds no .json file; name another folder");
    std::sort(below.begin(), below.end());
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
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
