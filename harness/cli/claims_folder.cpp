#include "harness/cli/claims_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "harness/cli/partial.hpp"
#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "harness/store.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

std::optional<std::string> read_if_there(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

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
    claims.push_back({entry.path().stem().string(), *read_if_there(entry.path().string()), "", ""});
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

}  // namespace

ClaimsFolder open_claims(const std::string& path) {
  ClaimsFolder folder;
  folder.path = path.empty() ? "analysis/claims" : path;
  std::error_code ignored;
  if (!fs::is_directory(folder.path, ignored)) {
    throw Error(ExitCode::usage,
                fmt::format("{}: no such folder of claims; name it with --claims DIR", folder.path));
  }
  folder.claims = read_files(folder.path);
  folder.ledger = read_if_there(folder.path + "/ledger.jsonl").value_or("");
  folder.rows = analysis::read_ledger(folder.ledger);
  const auto head = read_if_there(folder.path + "/ledger.head");
  if (head) {
    analysis::check_head(folder.rows, *head);
  } else if (!folder.rows.empty()) {
    tampered(folder.path + "/ledger.head: gone; restore it from the git history");
  }
  check_seals(folder);
  return folder;
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
  const RunLock lock(folder.path + "/ledger.jsonl");
  folder.ledger = read_if_there(folder.path + "/ledger.jsonl").value_or("");
  folder.ledger = analysis::append_row(folder.ledger, row);
  folder.rows = analysis::read_ledger(folder.ledger);
  harness::write_file_atomically(folder.path + "/ledger.jsonl", folder.ledger);
  harness::write_file_atomically(folder.path + "/ledger.head", analysis::head_of(folder.rows));
}

void announce_run(const std::string& path, const harness::Submission& submission) {
  ClaimsFolder folder = open_claims(path);
  append_to_ledger(folder, row_of_run("run", submission));
}

void abandon_run(const std::string& path, const harness::Submission& submission, const std::string& reason) {
  ClaimsFolder folder = open_claims(path);
  analysis::LedgerRow row = row_of_run("abandoned", submission);
  row.reason = reason;
  append_to_ledger(folder, row);
}

std::string superseded_path(const ClaimsFolder& folder, const std::string& id, const std::string& seal) {
  return fmt::format("{}/superseded/{}-{:.8}.json", folder.path, id, seal);
}

}  // namespace cli
