// The ledger of claims: one canonical JSON object per line, each with the hash of the line before. Pure: text
// in, text out. A hash proves that nothing changed, not when it was written: the public clock is the git
// history.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

/// One line. hash = SHA-256 of the canonical line without it; prev_hash of the first is 64 zeros.
struct LedgerRow {
  int row = 0;       ///< counts from 1
  std::string kind;  ///< "seal" | "amend" | "run" | "finished" | "abandoned" | "verdict"
  std::string claim, seal, utc;
  std::string supersedes;  ///< amend: the seal it replaces
  std::string reason;      ///< amend, abandoned: why; seal: what of such data was seen before, "" for nothing
  std::string verdict;     ///< verdict: canonical JSON of what was found (analysis/verdict_json.hpp)
  std::string nonce, machine_key;  ///< run, finished, abandoned: of the run's document
  std::string content_sha256;      ///< finished: of the document, told before anybody could see it
  std::string original_hash,
      original_utc;  ///< of the row in another clone's ledger that this one repeats, or ""
  std::string prev_hash, hash;
};

/// Reads a ledger. Throws Error(tampered) that names the first line which is not what was written: altered,
/// removed, added or moved, or which cannot follow those before it: time runs backwards or is none, a run
/// ends that did not begin or ends twice, a seal that is none, a verdict that is none.
std::vector<LedgerRow> read_ledger(std::string_view text);

/// Throws Error(unavailable) that names the first row which lies more than a day ahead of this system's
/// clock: one of the two clocks was wrong, and nothing could follow such a row for years.
void check_times(std::span<const LedgerRow> rows, const std::string& now_utc);

/// Returns the text with one more line; fills its row, prev_hash and hash. Throws Error(unavailable) when the
/// row's time lies before the last line's, Error(usage) when the row cannot follow: another tokroof was
/// first.
std::string append_row(std::string_view text, LedgerRow row);

/// Returns how many lines there are and the hash of the last, as a line of text: kept beside the ledger, it
/// shows when lines are gone from the end.
std::string head_of(std::span<const LedgerRow> rows);
/// Throws Error(tampered) unless the ledger begins with the lines that a head tells of.
void check_head(std::span<const LedgerRow> rows, std::string_view head);

/// Whether a row seals a text.
inline bool seals(const LedgerRow& row) {
  return row.kind == "seal" || row.kind == "amend";
}

/// A run that was begun for a claim: every one is in the ledger, so that none can be left out unnoticed.
struct StartedRun {
  std::string nonce, machine_key, utc;  ///< utc: of the start, also where the row came from another clone
  bool abandoned = false;               ///< it ended before it showed anything
  std::string content_sha256 = {};      ///< of the document it finished with, "" while it has not
};

/// Returns the runs begun under a seal, in their order.
std::vector<StartedRun> started_runs(std::span<const LedgerRow> rows, const std::string& seal);

/// Returns the row that holds a claim's seal now: its last seal or amend row, or nullptr.
const LedgerRow* current_seal(std::span<const LedgerRow> rows, const std::string& claim);

}  // namespace analysis
