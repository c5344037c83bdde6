// The claim that a new one begins as.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace analysis {

/// Returns a claim of this id and due time that passes the schema: residency pays at least twice, over ten
/// launches. What stands in <…> is to be filled in.
nlohmann::ordered_json claim_draft(const std::string& id, const std::string& due_utc);

}  // namespace analysis
