// What the ledger, and this computer's own journal, tell of a claim's runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/canonical_json.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/measuring_lock.hpp"
#include "harness/cli/partial.hpp"
#include "harness/error.hpp"
#include "harness/store.hpp"
#include "harness/validation_parse.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

constexpr size_t max_reason_bytes = 300;

analysis::LedgerRow row_of_run(const std::string& kind, const harness::Submission& submission) {
  analysis::LedgerRow row;
  row.kind = kind;
  row.claim = submission.claim->id;
  row.seal = submission.claim->seal;
  row.utc = harness::utc_now();
  row.nonce = submission.nonce;
  row.machine_key = submission.machine.machine_key;
  return row;
}

std::string journal_path(const std::string& seal) {
  return fmt::format("{}/claims/{}.jsonl", harness::tokroof_home(), seal);
}

void note_start(const analysis::LedgerRow& row) {
  const std::string path = journal_path(row.seal);
  fs::create_directories(fs::path(path).parent_path());
  const RunLock lock(path);
  const nlohmann::json start = {{"machine_key", row.machine_key}, {"nonce", row.nonce}, {"utc", row.utc}};
  harness::write_file_atomically(path,
                                 read_if_there(path).value_or("") + harness::canonical_text(start) + "\n");
}

bool was_abandoned(const ClaimsFolder& folder, const harness::Submission& submission) {
  const auto runs = analysis::started_runs(folder.rows, submission.claim->seal);
  return std::any_of(runs.begin(), runs.end(),
                     [&](const auto& run) { return run.nonce == submission.nonce && run.abandoned; });
}

/// Any text as a reason: whole characters of UTF-8, not too many.
std::string as_reason(std::string text) {
  text.resize(
      std::min(text.size(), max_reason_bytes - 3));  // a character that is cut becomes a mark of three
  const std::string valid =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text = nlohmann::json::parse(valid).get<std::string>();
  return text.size() > max_reason_bytes ? "not valid UTF-8" : text;
}

}  // namespace

std::string checked_reason(const std::string& reason) {
  if (reason.find_first_not_of(" \t\n") == std::string::npos)
    throw Error(ExitCode::usage, "--reason says nothing: say why, the ledger keeps it");
  if (reason.size() > max_reason_bytes)
    throw Error(ExitCode::usage,
                fmt::format("--reason has {} bytes, the ledger takes {}", reason.size(), max_reason_bytes));
  nlohmann::json parsed;
  try {
    if (harness::parse_strictly(nlohmann::json(reason).dump(), parsed).empty()) return reason;
  } catch (const nlohmann::json::exception&) {
  }
  throw Error(ExitCode::usage, "--reason is no UTF-8 text");
}

void announce_run(const std::string& path, const harness::Submission& submission) {
  ClaimsFolder folder = open_claims(path);
  const analysis::LedgerRow row = row_of_run("run", submission);
  append_to_ledger(folder, row);
  try {
    note_start(row);
  } catch (const std::exception& error) {
    abandon_run(path, submission, "its start could not be noted");
    throw Error(ExitCode::store,
                fmt::format("{}: cannot be written ({})", journal_path(row.seal), error.what()));
  }
}

void finish_run(const std::string& path, const harness::Submission& submission,
                const std::string& content_sha256) {
  ClaimsFolder folder = open_claims(path);
  if (was_abandoned(folder, submission))
    throw Error(ExitCode::interrupted,
                "tokroof claim abandon ended this run in the ledger while it was measured");
  analysis::LedgerRow row = row_of_run("finished", submission);
  row.content_sha256 = content_sha256;
  append_to_ledger(folder, row);
}

void abandon_run(const std::string& path, const harness::Submission& submission, const std::string& reason) {
  ClaimsFolder folder = open_claims(path);
  if (was_abandoned(folder, submission)) return;  // by hand, while it was measured
  analysis::LedgerRow row = row_of_run("abandoned", submission);
  row.reason = as_reason(reason);
  append_to_ledger(folder, row);
}

void abandon_killed_run(const std::string& path, const std::string& claim, const std::string& nonce,
                        const std::string& reason) {
  ClaimsFolder folder = open_claims(path);
  const auto begun = std::find_if(folder.rows.begin(), folder.rows.end(), [&](const auto& row) {
    return row.kind == "run" && row.claim == claim && row.nonce == nonce;
  });
  if (begun == folder.rows.end())
    throw Error(
        ExitCode::usage,
        fmt::format("the ledger tells of no run '{}' for {}: tokroof claim log --json", nonce, claim));
  for (const analysis::StartedRun& run : analysis::started_runs(folder.rows, begun->seal)) {
    if (run.nonce != nonce) continue;
    if (run.abandoned) throw Error(ExitCode::usage, "that run was abandoned already");
    if (!run.content_sha256.empty())
      throw Error(ExitCode::usage, "that run finished: its figures could be seen, so it counts");
  }
  if (const int process = measuring_process(nonce); process != 0)
    throw Error(
        ExitCode::usage,
        fmt::format("that run is being measured by process {}: end it there (Ctrl-C), which abandons it",
                    process));
  analysis::LedgerRow row = *begun;
  row.kind = "abandoned";
  row.utc = harness::utc_now();
  row.reason = checked_reason(reason);
  append_to_ledger(folder, row);
}

std::vector<analysis::StartedRun> begun_here(const std::string& seal) {
  const std::string path = journal_path(seal);
  std::istringstream lines(read_if_there(path).value_or(""));
  std::vector<analysis::StartedRun> runs;
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json start;
    const bool whole = harness::parse_strictly(line, start).empty() && start.is_object();
    const auto text = [&](const char* key) {
      return whole && start.contains(key) && start[key].is_string() ? start[key].get<std::string>() : "";
    };
    if (text("nonce").empty() || text("utc").empty())
      throw Error(ExitCode::tampered, fmt::format("{}: line {} tells of no start", path, runs.size() + 1));
    runs.push_back({text("nonce"), text("machine_key"), text("utc")});
  }
  return runs;
}

}  // namespace cli
