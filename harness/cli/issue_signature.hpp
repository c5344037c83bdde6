// Who signed the document of an issue.
#pragma once
#include <string>

#include "harness/issue_body.hpp"

namespace cli {

/// Returns the key that signed an issue's document, whose canonical text is given: its number and the
/// SHA-256 of its bytes, "number sha256:hex"; "" when it is not signed and no key is asked for. `wanted` is a
/// public key or the file that holds it, "" for any. Throws Error(invalid_input) that names `name` when the
/// signature does not hold, when another key made it, or when there is none and one is asked for.
std::string signer_of(const harness::IssueDocument& issue, const std::string& canonical_text,
                      const std::string& wanted, const std::string& name);

}  // namespace cli
