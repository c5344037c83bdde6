// What `claim new` writes.
#pragma once
#include <string>

namespace cli {

/// Returns a claim of this id that passes the schema; what stands in <…> is to be filled in, and refused by
/// `claim check` until it is.
std::string claim_template(const std::string& id);

}  // namespace cli
