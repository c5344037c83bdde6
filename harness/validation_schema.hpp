// The schema stage's judge: the compiled-in schemas, each made ready once.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace harness {

/// Returns whether a strictly parsed document meets schemas/NAME.schema.json. Asserts that there is such a
/// schema; throws Error(internal) when the schema itself does not compile.
bool meets_schema(const std::string& name, const nlohmann::json& document);

/// Returns a compiled-in schema as JSON, parsed once.
const nlohmann::json& schema_json(const std::string& name);

}  // namespace harness
