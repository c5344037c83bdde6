#include "analysis/claim_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/verdict_json.hpp"
#include "harness/canonical_json.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/validation_parse.hpp"

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
  if (!row.content_sha256.empty()) members["content_sha256"] = row.content_sha256;
  if (!row.original_hash.empty()) members["original_hash"] = row.original_hash;
  if (!row.original_utc.empty()) members["original_utc"] = row.original_utc;
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
  row.content_sha256 = members.value("content_sha256", "");
  row.original_hash = members.value("original_hash", "");
  row.original_utc = members.value("original_utc", "");
  if (members.contains("verdict")) row.verdict = harness::canonical_text(members["verdict"]);
  return row;
}

/// Checks a line against the one before; returns it.
LedgerRow checked(const std::string& line, int number, const std::string& prev_hash) {
  LedgerRow row;
  try {
    json members;
    if (line.size() > harness::max_document_bytes || !harness::parse_strictly(line, members).empty())
      tampered(fmt::format("line {} is no ledger row", number));
    row = row_of(members);
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

/// Whether a text is a time as harness::utc_now() writes it, of a day that is one.
bool is_time(const std::string& text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != form.size()) return false;
  for (size_t i = 0; i < form.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !digit : text[i] != form[i]) return false;
  }
  const auto number = [&](size_t at, size_t digits) { return std::stoi(text.substr(at, digits)); };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) <= 60;
}

/// The time a day after another, by which clocks may differ.
std::string a_day_after(const std::string& utc) {
  const auto number = [&](size_t at, size_t digits) { return std::stoi(utc.substr(at, digits)); };
  const std::chrono::year_month_day next =
      std::chrono::sys_days(std::chrono::year(number(0, 4)) /
                            std::chrono::month(static_cast<unsigned>(number(5, 2))) /
                            std::chrono::day(static_cast<unsigned>(number(8, 2)))) +
      std::chrono::days(1);
  return fmt::format("{:04}-{:02}-{:02}{}", int(next.year()), unsigned(next.month()), unsigned(next.day()),
                     utc.substr(10));
}

/// What the lines so far have told, and what can therefore not come next.
class Story {
 public:
  void add(const LedgerRow& row) {
    const std::string why = fault(row);
    if (!why.empty()) tampered(fmt::format("row {} {}", row.row, why));
    tell(row);
  }

  /// Why a row cannot come next, "" when it can.
  [[nodiscard]] std::string fault(const LedgerRow& row) const {
    if (!is_time(row.utc)) return fmt::format("has a time that is none: '{:.40}'", row.utc);
    if (!row.original_utc.empty() && (!is_time(row.original_utc) || row.original_utc > row.utc))
      return "repeats a row of a time that is none, or of later";
    if (row.utc < last_utc_) return fmt::format("is of {}, after one of {}", row.utc, last_utc_);
    return kind_fault(row);
  }

 private:
  void tell(const LedgerRow& row) {
    last_utc_ = row.utc;
    if (seals(row)) {
      current_[row.claim] = row.seal;
      sealed_.insert({row.claim, row.seal});
    } else if (row.kind == "run") {
      open_[row.nonce] = row;
      begun_.insert(row.nonce);
    } else if (ends(row)) {
      open_.erase(row.nonce);
    }
  }

  static bool ends(const LedgerRow& row) { return row.kind == "finished" || row.kind == "abandoned"; }

  [[nodiscard]] std::string kind_fault(const LedgerRow& row) const {
    const auto current = current_.find(row.claim);
    if (row.kind == "seal") return current == current_.end() ? "" : "seals what was sealed already";
    if (row.kind == "amend") {
      if (current == current_.end() || current->second != row.supersedes)
        return "supersedes another seal than the present one";
      return sealed_.count({row.claim, row.seal}) == 0 ? "" : "seals a text that was sealed before";
    }
    if (sealed_.count({row.claim, row.seal}) == 0) return "names a seal that no row before it made";
    if (row.kind == "verdict") {
      const std::string why = fault_of_verdict(row.verdict, row.claim, row.seal);
      return why.empty() ? "" : "tells no verdict: " + why;
    }
    if (row.kind == "run") return row.nonce.empty() || begun_.count(row.nonce) > 0 ? "begins no new run" : "";
    return ends(row) ? end_fault(row) : "is of a kind that this version does not know";
  }

  std::string end_fault(const LedgerRow& row) const {
    const auto run = open_.find(row.nonce);
    if (run == open_.end()) return "ends a run that has not begun, or has ended";
    if (std::tie(run->second.claim, run->second.seal, run->second.machine_key) !=
        std::tie(row.claim, row.seal, row.machine_key))
      return "ends a run of another claim, seal or machine";
    return (row.kind == "finished") == row.content_sha256.empty() ? "tells no or too many documents" : "";
  }

  std::string last_utc_;
  std::map<std::string, std::string> current_;            ///< claim → seal
  std::set<std::pair<std::string, std::string>> sealed_;  ///< (claim, seal), superseded ones too
  std::map<std::string, LedgerRow> open_;                 ///< runs that have not ended, by nonce
  std::set<std::string> begun_;                           ///< nonces of all runs
};

}  // namespace

std::vector<LedgerRow> read_ledger(std::string_view text) {
  std::vector<LedgerRow> rows;
  Story story;
  if (!text.empty() && text.back() != '\n') tampered("its last line does not end");
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string prev_hash = rows.empty() ? no_hash : rows.back().hash;
    rows.push_back(checked(std::string(text.substr(0, end)), static_cast<int>(rows.size()) + 1, prev_hash));
    story.add(rows.back());
    text.remove_prefix(end + 1);
  }
  return rows;
}

void check_times(std::span<const LedgerRow> rows, const std::string& now_utc) {
  const std::string latest = a_day_after(now_utc);
  for (const LedgerRow& row : rows) {
    if (row.utc <= latest) continue;
    throw harness::Error(
        harness::ExitCode::unavailable,
        fmt::format(
            "row {} of the ledger is of {}, more than a day ahead of this system's clock ({}): set the "
            "clock; if it is right, that row was written under a wrong one: restore ledger.jsonl and "
            "ledger.head from the git history before it",
            row.row, row.utc, now_utc));
  }
}

std::string append_row(std::string_view text, LedgerRow row) {
  const std::vector<LedgerRow> rows = read_ledger(text);
  Story story;
  for (const LedgerRow& told : rows) story.add(told);
  row.row = static_cast<int>(rows.size()) + 1;
  row.prev_hash = rows.empty() ? no_hash : rows.back().hash;
  row.hash = hash_of(row);
  if (!rows.empty() && row.utc < rows.back().utc)
    throw harness::Error(
        harness::ExitCode::unavailable,
        fmt::format("the ledger's last row is of {}, and this system's clock says {}: set it",
                    rows.back().utc, row.utc));
  if (const std::string why = story.fault(row); !why.empty())
    throw harness::Error(
        harness::ExitCode::usage,
        fmt::format("{}: the row {} that is to follow {}; another tokroof may have been first "
                    "(tokroof claim log)",
                    row.claim, row.kind, why));
  std::string longer = std::string(text) + line_of(row) + "\n";
  read_ledger(longer);  // what could not be read back is never written
  return longer;
}

std::string head_of(std::span<const LedgerRow> rows) {
  return harness::canonical_text(
             {{"rows", rows.size()}, {"hash", rows.empty() ? no_hash : rows.back().hash}}) +
         "\n";
}

void check_head(std::span<const LedgerRow> rows, std::string_view head) {
  json members;
  if (head.size() > harness::max_document_bytes || !harness::parse_strictly(head, members).empty() ||
      !members.is_object() || !members.value("rows", json()).is_number_integer() ||
      members.at("rows").get<int64_t>() < 0 || !members.value("hash", json()).is_string())
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
    if (row.kind == "run")
      runs.push_back({row.nonce, row.machine_key, row.original_utc.empty() ? row.utc : row.original_utc});
    for (StartedRun& run : runs) {
      if (run.nonce != row.nonce) continue;
      if (row.kind == "abandoned") run.abandoned = true;
      if (row.kind == "finished") run.content_sha256 = row.content_sha256;
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
