#include "harness/cli/claims_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/cli/partial.hpp"
#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

[[noreturn]] void tampered(const std::string& what) {
  throw Error(ExitCode::tampered, what);
}

/// The seal of a text, or why it has none.
std::string seal_or_reason(const std::string& text) {
  try {
    return analysis::seal_of(text);
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<FiledClaim> read_files(const std::string& path) {
  std::vector<FiledClaim> claims;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
    const auto text = read_if_there(entry.path().string());
    if (text) claims.push_back({entry.path().stem().string(), *text, "", ""});
  }
  std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return claims;
}

/// Holds each sealed claim's file against its seal; former texts against theirs.
void check_seals(ClaimsFolder& folder) {
  for (const analysis::LedgerRow& row : folder.rows) {
    if (!analysis::seals(row)) continue;
    const bool current = analysis::current_seal(folder.rows, row.claim) == &row;
    const std::string path =
        current ? folder.path + "/" + row.claim + ".json" : superseded_path(folder, row.claim, row.seal);
    const auto text = read_if_there(path);
    if (!text)
      tampered(fmt::format("{}: sealed {}, and gone; restore it from the git history", path, row.utc));
    const std::string seal = seal_or_reason(*text);
    if (seal != row.seal)
      tampered(fmt::format(
          "{}: altered after it was sealed {} (sealed as {:.12}, now {:.40}); restore it from the "
          "git history, or say why with tokroof claim amend",
          path, row.utc, row.seal, seal));
    if (!current) continue;
    for (FiledClaim& claim : folder.claims) {
      if (claim.id != row.claim) continue;
      claim.seal = row.seal;
      claim.sealed_utc = row.utc;
    }
  }
}

/// Waits a little for another tokroof that appends.
std::unique_ptr<RunLock> lock_ledger(const std::string& folder) {
  constexpr int tries = 20;
  constexpr std::chrono::milliseconds pause{100};
  for (int i = 1;; ++i) {
    try {
      return std::make_unique<RunLock>(folder + "/ledger.jsonl");
    } catch (const Error&) {
      if (i == tries) throw;
      std::this_thread::sleep_for(pause);
    }
  }
}

/// Puts a text in place of what a file held; `was` nothing: there was none.
void restore(const std::string& path, const std::optional<std::string>& was) {
  try {
    if (was) {
      harness::write_file_atomically(path, *was);
    } else {
      std::remove(path.c_str());
    }
  } catch (const Error&) {  // the error that led here is told
  }
}

/// Writes several files, or none.
void write_all(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<std::optional<std::string>> before;
  before.reserve(files.size());
  for (const auto& [path, text] : files) before.push_back(read_if_there(path));
  for (size_t i = 0; i < files.size(); ++i) {
    try {
      harness::write_file_atomically(files[i].first, files[i].second);
    } catch (const Error&) {
      for (size_t done = 0; done < i; ++done) restore(files[done].first, before[done]);
      throw;
    }
  }
}

std::vector<std::pair<std::string, std::string>> files_of_ledger(const ClaimsFolder& folder) {
  return {{folder.path + "/ledger.jsonl", folder.ledger},
          {folder.path + "/ledger.head", analysis::head_of(folder.rows)}};
}

/// The ledger with one more row, and its head, as files.
std::vector<std::pair<std::string, std::string>> ledger_files(ClaimsFolder& folder,
                                                              const analysis::LedgerRow& row) {
  folder.ledger = analysis::append_row(folder.ledger, row);
  folder.rows = analysis::read_ledger(folder.ledger);
  return files_of_ledger(folder);
}

/// Reads and checks a folder as it is now.
ClaimsFolder read_folder(const std::string& path) {
  ClaimsFolder folder;
  folder.path = path;
  folder.claims = read_files(folder.path);
  // The head first: a row that is appended between the two is one more than the head tells of, not one less.
  const auto head = read_if_there(folder.path + "/ledger.head");
  folder.ledger = read_if_there(folder.path + "/ledger.jsonl").value_or("");
  folder.rows = analysis::read_ledger(folder.ledger);
  analysis::check_times(folder.rows, harness::utc_now());
  if (head) {
    analysis::check_head(folder.rows, *head);
  } else if (!folder.rows.empty()) {
    tampered(folder.path + "/ledger.head: gone; restore it from the git history");
  }
  check_seals(folder);
  return folder;
}

/// Refuses another clone's ledger by its name: as no ledger where not even its first row is one.
void check_other_ledger(const std::string& path, const std::string& theirs) {
  if (theirs.empty())
    throw Error(ExitCode::invalid_input,
                path + ": empty; name the other clone's analysis/claims/ledger.jsonl");
  if (theirs.find("\r\n") != std::string::npos)
    throw Error(ExitCode::invalid_input,
                path +
                    ": its lines end in CR LF, which is not what was written; check it out as it is "
                    "(git config core.autocrlf false)");
  try {
    analysis::read_ledger(theirs.substr(0, theirs.find('\n')) + "\n");
  } catch (const Error&) {
    throw Error(ExitCode::invalid_input,
                path +
                    ": no ledger of claims: its first line is no row of one; name the other clone's "
                    "analysis/claims/ledger.jsonl");
  }
  try {
    analysis::check_times(analysis::read_ledger(theirs), harness::utc_now());
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

std::optional<std::string> read_if_there(const std::string& path) {
  constexpr size_t max_ledger_bytes = size_t{64} << 20;
  return harness::read_user_file_if_there(path, max_ledger_bytes);
}

ClaimsFolder open_claims(const std::string& path) {
  const std::string folder = path.empty() ? "analysis/claims" : path;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(ExitCode::usage,
                fmt::format("{}: no such folder of claims; name it with --claims DIR", folder));
  try {
    return read_folder(folder);
  } catch (const Error& error) {
    if (error.code() != ExitCode::tampered) throw;
    // Another tokroof may be between two of its files: what is still wrong under its lock is wrong.
    std::unique_ptr<RunLock> lock;
    try {
      lock = lock_ledger(folder);
    } catch (const Error&) {
      throw error;
    }
    return read_folder(folder);
  }
}

const FiledClaim& find_claim(const ClaimsFolder& folder, const std::string& id) {
  std::vector<std::string_view> names;
  for (const FiledClaim& claim : folder.claims) {
    if (claim.id == id) return claim;
    names.push_back(claim.id);
  }
  throw Error(ExitCode::usage, fmt::format("there is no claim '{}' in {}{}", id, folder.path,
                                           harness::did_you_mean(id, names)));
}

analysis::Claim sealed_claim(const FiledClaim& filed) {
  if (!filed.sealed()) {
    throw Error(ExitCode::usage,
                fmt::format("claim {} is a draft: what is not sealed cannot lose; tokroof claim seal {}",
                            filed.id, filed.id));
  }
  return analysis::claim_from_json(filed.text);
}

void append_to_ledger(ClaimsFolder& folder, const analysis::LedgerRow& row) {
  const auto lock = lock_ledger(folder.path);
  folder.ledger = read_if_there(folder.path + "/ledger.jsonl").value_or("");
  write_all(ledger_files(folder, row));
}

void amend_claim(ClaimsFolder& folder, const analysis::LedgerRow& row, const std::string& text) {
  const auto lock = lock_ledger(folder.path);
  folder = read_folder(folder.path);
  const FiledClaim old = find_claim(folder, row.claim);
  if (old.seal != row.supersedes) throw Error(ExitCode::usage, row.claim + " was amended meanwhile");
  auto files = ledger_files(folder, row);  // refused before anything changes
  files.insert(files.begin(), {{superseded_path(folder, old.id, old.seal), old.text},
                               {fmt::format("{}/{}.json", folder.path, old.id), text}});
  write_all(files);
}

analysis::MergedLedger merge_ledger(ClaimsFolder& folder, const std::string& path,
                                    const std::string& theirs) {
  check_other_ledger(path, theirs);
  const auto lock = lock_ledger(folder.path);
  folder = read_folder(folder.path);
  analysis::MergedLedger merged;
  try {
    merged = analysis::merge_ledgers(folder.ledger, theirs, harness::utc_now());
  } catch (const Error& error) {
    if (error.code() != ExitCode::invalid_input) throw;
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
  if (merged.rows == 0) return merged;
  folder.ledger = merged.text;
  folder.rows = analysis::read_ledger(folder.ledger);
  write_all(files_of_ledger(folder));
  return merged;
}

std::string superseded_path(const ClaimsFolder& folder, const std::string& id, const std::string& seal) {
  return fmt::format("{}/superseded/{}-{:.8}.json", folder.path, id, seal);
}

}  // namespace cli
