// The folder of claims: ID.json files, the ledger that seals them, and the superseded ones.
#pragma once
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "analysis/claim_ledger.hpp"
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
/// and that every sealed claim's bytes are those that were sealed. Throws Error(tampered) that names what is
/// not, Error(usage) without the folder. A draft may be anything.
ClaimsFolder open_claims(const std::string& path);

/// Returns a claim of the folder. Throws Error(usage) that names the nearest.
const FiledClaim& find_claim(const ClaimsFolder& folder, const std::string& id);

/// Returns a sealed claim, parsed. Throws Error(usage) for a draft.
analysis::Claim sealed_claim(const FiledClaim& filed);

/// Appends a row to the ledger and renews its head; both files are written whole or not at all. Reads the
/// folder anew first, under a lock: others may have appended. Throws Error(store) when it cannot be written.
void append_to_ledger(ClaimsFolder& folder, const analysis::LedgerRow& row);

/// Appends that a run for a claim begins, or that it ended before it showed anything.
void announce_run(const std::string& path, const harness::Submission& submission);
void abandon_run(const std::string& path, const harness::Submission& submission, const std::string& reason);

/// Where an amended claim's former text is kept.
std::string superseded_path(const ClaimsFolder& folder, const std::string& id, const std::string& seal);

}  // namespace cli
