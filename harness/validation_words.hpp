// Says in words where a document breaks its schema and what the schema wanted there.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/validation.hpp"

namespace harness {

/// Returns every violation of a document that its schema refuses: the member at fault, never the objects
/// around it. Follows $ref, allOf and the branch of if/then/else that applies; understands the keywords that
/// schemas/ allows itself (validation_schema_test lists them). SchemaPlan judges, this explains.
std::vector<Violation> explain_violations(const nlohmann::json& schema, const nlohmann::json& document);

/// Returns what a schema wants as a phrase, such as "an integer from 0 to 255".
std::string expectation(const nlohmann::json& root, const nlohmann::json& schema);

}  // namespace harness
