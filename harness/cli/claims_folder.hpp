// The folder of claims: ID.json files, the ledger that seals them, and the superseded ones.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "analysis/claim_ledger.hpp"
#include "analysis/claim_merge.hpp"
#include "harness/submission.hpp"

namespace cli {

/// A claim's file and what the ledger says of it.
struct FiledClaim {
  std::string id, text;
  std::string seal, sealed_utc;  ///< "" while it is a draft
  [[nodiscard]] bool sealed() const { return !seal.empty(); }
};

struct ClaimsFolder {
  std::string path, ledger;  ///< ledger: the text of ledger.jsonl
  std::vector<analysis::LedgerRow> rows;
  std::vector<FiledClaim> claims;  ///< by id
};

/// Reads a folder ("" for analysis/claims below the current one) and checks it: the ledger's chain and head,
/// and that every sealed claim's bytes are those that were sealed. What is wrong is looked at again under the
/// ledger's lock: another tokroof may be writing. Throws Error(tampered) that names what is not,
/// Error(unavailable) for a row of the future, Error(usage) without the folder. A draft may be anything.
ClaimsFolder open_claims(const std::string& path);

/// Returns a claim of the folder. Throws Error(usage) that names the nearest.
const FiledClaim& find_claim(const ClaimsFolder& folder, const std::string& id);

/// Returns a sealed claim, parsed. Throws Error(usage) for a draft.
analysis::Claim sealed_claim(const FiledClaim& filed);

/// Appends a row to the ledger and renews its head; both files are written whole or not at all. Reads the
/// ledger anew first, under a lock: others may have appended. Throws Error(store) when it cannot be written.
void append_to_ledger(ClaimsFolder& folder, const analysis::LedgerRow& row);

/// Appends an amendment and puts its text in the place of the old one, which is kept. The row is made before
/// any file changes; where a file cannot be written, all are as they were. Throws as append_to_ledger, and
/// Error(usage) when the claim was amended meanwhile.
void amend_claim(ClaimsFolder& folder, const analysis::LedgerRow& row, const std::string& text);

/// Takes the runs of another clone's ledger into this one (analysis/claim_merge.hpp), under the lock. `path`
/// is where the text `theirs` was read: what is wrong with it is told with that name, Error(invalid_input)
/// for what is no ledger. Throws as merge_ledgers and append_to_ledger.
analysis::MergedLedger merge_ledger(ClaimsFolder& folder, const std::string& path, const std::string& theirs);

/// Returns a reason that a ledger can hold. Throws Error(usage) when it says nothing, is longer than 300
/// bytes or is no UTF-8.
std::string checked_reason(const std::string& reason);

/// Appends that a run for a claim begins (and notes it in this computer's own journal), that it finished with
/// a document, or that it ended before it showed anything.
void announce_run(const std::string& path, const harness::Submission& submission);
void finish_run(const std::string& path, const harness::Submission& submission,
                const std::string& content_sha256);
void abandon_run(const std::string& path, const harness::Submission& submission, const std::string& reason);

/// Appends that a run was killed before it could tell so itself. Throws Error(usage) for a run that the
/// ledger does not tell of, that ended, or that is being measured now.
void abandon_killed_run(const std::string& path, const std::string& claim, const std::string& nonce,
                        const std::string& reason);

/// Reads which runs for a seal were begun on this computer: $TOKROOF_HOME/claims/SEAL.jsonl, written beside
/// the ledger so that a run with a copy of the ledger is told, too. Empty when there is none. Throws
/// Error(tampered) for a line that is no start.
std::vector<analysis::StartedRun> begun_here(const std::string& seal);

/// Returns what a file holds, nullopt when there is none. Throws Error(invalid_input) when it cannot be read.
std::optional<std::string> read_if_there(const std::string& path);

/// Where an amended claim's former text is kept.
std::string superseded_path(const ClaimsFolder& folder, const std::string& id, const std::string& seal);

}  // namespace cli
