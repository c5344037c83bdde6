#include "analysis/claim_ledger.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/canonical_json.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

using nlohmann::json;

const std::string no_hash(64, '0');

[[noreturn]] void tampered(const std::string& what) {
  throw harness::Error(
      harness::ExitCode::tampered,
      fmt::format("the ledger is not what was written: {}; restore it from the git history", what));
}

json members_of(const LedgerRow& row) {
  json members = {{"row", row.row},   {"kind", row.kind}, {"claim", row.claim},
                  {"seal", row.seal}, {"utc", row.utc},   {"prev_hash", row.prev_hash}};
  if (!row.supersedes.empty()) members["supersedes"] = row.supersedes;
  if (!row.reason.empty()) members["reason"] = row.reason;
  if (!row.nonce.empty()) members["nonce"] = row.nonce;
  if (!row.machine_key.empty()) members["machine_key"] = row.machine_key;
  if (!row.verdict.empty()) members["verdict"] = json::parse(row.verdict);
  return members;
}

std::string hash_of(const LedgerRow& row) {
  return harness::sha256_hex(harness::canonical_text(members_of(row)));
}

std::string line_of(const LedgerRow& row) {
  json members = members_of(row);
  members["hash"] = row.hash;
  return harness::canonical_text(members);
}

LedgerRow row_of(const json& members) {
  LedgerRow row;
  row.row = members.at("row");
  row.kind = members.at("kind");
  row.claim = members.at("claim");
  row.seal = members.at("seal");
  row.utc = members.at("utc");
  row.prev_hash = members.at("prev_hash");
  row.hash = members.at("hash");
  row.supersedes = members.value("supersedes", "");
  row.reason = members.value("reason", "");
  row.nonce = members.value("nonce", "");
  row.machine_key = members.value("machine_key", "");
  if (members.contains("verdict")) row.verdict = harness::canonical_text(members["verdict"]);
  return row;
}

/// Checks a line against the one before; returns it.
LedgerRow checked(const std::string& line, int number, const std::string& prev_hash) {
  LedgerRow row;
  try {
    row = row_of(json::parse(line));
  } catch (const json::exception&) {
    tampered(fmt::format("line {} is no ledger row", number));
  }
  if (line_of(row) != line) tampered(fmt::format("line {} is not in canonical form", number));
  if (hash_of(row) != row.hash) tampered(fmt::format("line {} does not have the hash it states", number));
  if (row.row != number)
    tampered(fmt::format("line {} says that it is row {}: a row was removed or moved", number, row.row));
  if (row.prev_hash != prev_hash) tampered(fmt::format("row {} does not follow the row before it", number));
  return row;
}

}  // namespace

std::vector<LedgerRow> read_ledger(std::string_view text) {
  std::vector<LedgerRow> rows;
  if (!text.empty() && text.back() != '\n') tampered("its last line does not end");
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string prev_hash = rows.empty() ? no_hash : rows.back().hash;
    rows.push_back(checked(std::string(text.substr(0, end)), static_cast<int>(rows.size()) + 1, prev_hash));
    text.remove_prefix(end + 1);
  }
  return rows;
}

std::string append_row(std::string_view text, LedgerRow row) {
  const std::vector<LedgerRow> rows = read_ledger(text);
  row.row = static_cast<int>(rows.size()) + 1;
  row.prev_hash = rows.empty() ? no_hash : rows.back().hash;
  row.hash = hash_of(row);
  return std::string(text) + line_of(row) + "\n";
}

std::string head_of(std::span<const LedgerRow> rows) {
  return harness::canonical_text(
             {{"rows", rows.size()}, {"hash", rows.empty() ? no_hash : rows.back().hash}}) +
         "\n";
}

void check_head(std::span<const LedgerRow> rows, std::string_view head) {
  const json members = json::parse(head, nullptr, /*allow_exceptions=*/false);
  if (!members.is_object() || !members.value("rows", json()).is_number_unsigned() ||
      !members.value("hash", json()).is_string())
    tampered("ledger.head does not say how many rows there are");
  const auto count = members.at("rows").get<size_t>();
  if (count > rows.size()) tampered(fmt::format("{} rows were written, {} are there", count, rows.size()));
  if ((count == 0 ? no_hash : rows[count - 1].hash) != members.at("hash").get<std::string>())
    tampered(fmt::format("row {} is not the one that was written", count));
}

std::vector<StartedRun> started_runs(std::span<const LedgerRow> rows, const std::string& seal) {
  std::vector<StartedRun> runs;
  for (const LedgerRow& row : rows) {
    if (row.seal != seal) continue;
    if (row.kind == "run") runs.push_back({row.nonce, row.machine_key, row.utc});
    for (StartedRun& run : runs) {
      if (row.kind == "abandoned" && run.nonce == row.nonce) run.abandoned = true;
    }
  }
  return runs;
}

const LedgerRow* current_seal(std::span<const LedgerRow> rows, const std::string& claim) {
  const LedgerRow* found = nullptr;
  for (const LedgerRow& row : rows) {
    if (row.claim == claim && seals(row)) found = &row;
  }
  return found;
}

}  // namespace analysis
