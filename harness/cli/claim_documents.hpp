// The documents that were made for a claim: from the store, or from a folder of files.
#pragma once
#include <string>
#include <vector>

#include "analysis/verdict.hpp"
#include "harness/cli/claims_folder.hpp"

namespace cli {

/// Reads the documents that name a claim, from the store at `database` ("" for the usual one; none when there
/// is no store), or from all *.json below `folder` when that is not "". Each is validated and held against
/// the rules. Throws Error(tampered) for one that names a seal under which this computer began runs and which
/// the ledger does not hold; of any other seal that it does not hold anybody may have made one.
std::vector<analysis::ClaimDocument> claim_documents(const ClaimsFolder& claims, const std::string& id,
                                                     const std::string& database, const std::string& folder);

}  // namespace cli
