// What `run --claim` takes: exactly the data that a claim registers.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/claim.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

/// Makes the protocol of a claim on this machine: its plans, its probes twice per round (the second is the
/// A/A control), its models held against the reference. Throws Error(unavailable) outside its population or
/// where a plan cannot run here, Error(usage) when kernels are forced that the claim wants chosen, or when
/// nothing is to be measured.
Protocol claim_protocol(const analysis::Claim& claim, const Session& session,
                        const harness::Machine& machine);

/// Begins the document of a run for a sealed claim, which it names, and tells the ledger: from here on it
/// counts.
std::pair<harness::Submission, Protocol> begin_claim_run(const Session& session, const std::string& claims,
                                                         const std::string& id);

/// What a claim's run measured and where it lies; what it means, `claim verdict` says.
std::string claim_result_text(const Terminal& terminal, const harness::Submission& submission,
                              const Saved& saved);

/// The working sets at which a claim's probes read: on both sides of where each roof is read off, and far
/// beyond the last-level cache.
std::vector<int64_t> round_probe_sizes(const harness::Machine& machine);

}  // namespace cli
