// Which documents of a claim count, by what its ledger tells of its runs. Pure.
#pragma once
#include <string>
#include <vector>

#include "analysis/verdict.hpp"

namespace analysis {

/// Returns the run that a document was made by, or nullptr when the ledger does not tell of it.
const StartedRun* run_of(const std::vector<StartedRun>& runs, const ClaimDocument& document);

/// Returns the documents made for a claim, each once, in the order in which the ledger tells of their runs;
/// those that it does not tell of last, by time. A document's own times order nothing that is in the ledger.
/// Throws Error(tampered) when one is not what its run finished with, or of another machine than its run.
std::vector<ClaimDocument> in_ledger_order(const std::string& claim, std::vector<ClaimDocument> documents,
                                           const std::vector<StartedRun>& runs);

/// Returns why a document that the ledger does not tell of says nothing, or "": it repeats the samples of one
/// that it tells of under another nonce; or it is of no machine of the ledger and was not begun on this
/// computer, so that anybody may have sent it. Neither can make a verdict doubtful.
std::string why_not_ours(const ClaimDocument& document, const std::vector<ClaimDocument>& documents,
                         const ClaimRuns& runs);

/// Returns what makes one doubt that all figures that were seen are here: runs that left no document, and
/// runs that this computer began and the ledger does not know.
std::vector<std::string> doubts_of_runs(const std::vector<ClaimDocument>& documents, const ClaimRuns& runs);

/// Returns why the figures of a document that counts may have been chosen, or "".
std::string doubt_of_document(const ClaimDocument& document, const std::vector<StartedRun>& runs);

/// Returns why a document that an exclusion does not name and that does not count leaves a doubt, or "".
std::string doubt_of_left_out(const ClaimDocument& document, const std::string& why,
                              const std::vector<StartedRun>& runs, const std::string& seal);

/// Returns the doubts about the evictions that parts rest on: an arm evict_flush or evict_stream whose
/// evictions its own numbers do not verify in every launch.
std::vector<std::string> doubts_of_evictions(const Claim& claim, const harness::Submission& submission);

}  // namespace analysis
